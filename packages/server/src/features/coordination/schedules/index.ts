/**
 * features/coordination/schedules: schedules as resources: the kind Schedule, its five operations, the next instant, and
 * the controller that keeps next_run_at, timer rows and conditions true. Does not fire: nothing takes the timers yet, and
 * claims stay unset. Called by app, which mounts the operations and registers contract and controller.
 */
export { schedulesModule } from './schedules-module.ts';
export { utcCron } from './timing/index.ts';
