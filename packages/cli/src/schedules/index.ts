/** schedules: `svc schedule`: when schedules run, as the server works it out. */
export { type NextOptions, showNext } from './next.ts';
