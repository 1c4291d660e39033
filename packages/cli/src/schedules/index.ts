/** schedules: `svc schedule`: when schedules run, as the server computes it. */
export { type NextOptions, showNext } from './next.ts';
