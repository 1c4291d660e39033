/**
 * features/coordination/tasks: tasks as resources: their phases and who may move them, UpdateTask, expiry and retention. Runs no
 * delegate: nothing but its callers moves a task yet. app wires it.
 */
export { taskContract } from './task-kind.ts';
export { taskOperations } from './task-operations.ts';
export type { TaskTimes } from './task-status.ts';
export { type StopExecution, TaskTimer } from './task-timer.ts';
