/**
 * features/coordination/tasks/tools: tasks as agents use them. `task-rules` of the folder above says who may move a task, its `task-moves`
 * makes the moves.
 */
export { shownTask } from './task-reads.ts';
export { delegationTools, taskTools } from './task-tools.ts';
export type { TaskToolsDeps } from './task-tools-deps.ts';
