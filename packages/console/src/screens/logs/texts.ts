/** Texts of the log. */
export const texts = {
  title: 'Logs',
  level: 'Least level',
  contains: 'Contains',
  pause: 'Pause',
  goOn: 'Continue',
  export: 'Export',
  clear: 'Clear',
  waiting: 'Nothing was written yet that fits',
  waitingHint:
    'Lines appear here as the server writes them. telemetry.logLevel of the configuration says which it writes.',
  paused: 'Paused',
  newLines: 'new lines',
  lines: 'lines',
  of: 'of',
  latest: 'To the newest',
  details: 'Fields of the line',
  closeDetails: 'Close the fields',
} as const;
