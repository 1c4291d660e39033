/**
 * features/tasks: tasks as resources: their phases and who may move them, UpdateTask, expiry and retention (RT-8.3). Does not
 * run delegates: the runtime reports through the same table of moves. app wires it.
 */
export { taskContract } from './task-kind.ts';
export { type TaskOperationsDeps, taskOperations } from './task-operations.ts';
export type { TaskActor } from './task-rules.ts';
export type { TaskTimes } from './task-status.ts';
export { type StopExecution, TaskTimer } from './task-timer.ts';
