/**
 * features/coordination/schedules: schedules as resources: the kind Schedule, its operations and tools, next_run_at, timer rows and
 * conditions; in `timing` when they run, in `firing` what happens then. Turns belong to the runtime, which calls the hook of this folder when
 * a scheduled one ends. Called by app, which mounts the operations and registers the contract.
 */
export { createScheduleHook } from './firing/index.ts';
export { schedulesModule } from './schedules-module.ts';
export { utcCron } from './timing/index.ts';
