/** schedules: `svc schedule`: when schedules run, as the server computes it; a run at once; and what happened so far. */
export { type NextOptions, showNext } from './next.ts';
export { runNow, showHistory } from './runs.ts';
