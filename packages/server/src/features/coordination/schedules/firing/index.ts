/**
 * features/coordination/schedules/firing: what happens when a schedule is due: the claim, the session and turn that begin, retries,
 * missed instants, the end of a run, and RunSchedule. When instants are says `timing`; what a status says besides runs is decided by the folder
 * above, which lists the workers in its module.
 */
export { firingTrail } from './firing-trail.ts';
export { createScheduleHook, followRuns, RunEnds } from './run-ends.ts';
export { type RunScheduleDeps, runSchedule } from './run-schedule.ts';
export { ScheduleFiring } from './schedule-firing.ts';
export type { WorkflowRuns } from './start-run.ts';
