/** Texts of the workers. */
export const texts = {
  title: 'Workers',
  name: 'Name',
  phase: 'Phase',
  version: 'Version',
  started: 'Started',
  sign: 'Last sign of life',
  endpoints: 'Addresses',
  none: 'No workers',
  noneHint: 'A process with the role worker in server.roles appears here when it starts.',
  drain: 'Drain',
  drainTitle: 'Drain this worker?',
  drainText: 'It takes no new work and hands over what it holds. It works again after its process is restarted.',
  drained: 'Draining',
  alreadyDrains: 'It takes no new work already.',
} as const;
