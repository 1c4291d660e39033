/**
 * features/coordination/tasks: tasks as resources and the work behind them: their phases and who may move them, delegates that begin in
 * sessions of their own, owners that are woken, UpdateTask, expiry and retention (docs/tasks.md). Turns themselves belong to the
 * runtime, which tells this folder how those of delegates move. app wires it.
 */
export { tasksModule, taskTurns } from './tasks-module.ts';
