/**
 * features/coordination/tasks: tasks as resources, and their work: phases and who may move them, delegates that begin in sessions of
 * their own, owners that are woken, UpdateTask, expiry and retention (docs/tasks.md). Turns belong to the runtime, which calls the hook of
 * this folder when a delegate's turn is taken, waits or ends. app wires it.
 */
export { tasksModule, taskTurns } from './tasks-module.ts';
