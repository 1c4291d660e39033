/**
 * features/coordination/tasks/tools: tasks as agents use them. Who may do what with a task says task-rules of the folder above; what
 * follows from a move is its task-moves.
 */
export { delegationTools, taskTools } from './task-tools.ts';
export type { TaskToolsDeps } from './task-tools-deps.ts';
