/**
 * features/coordination/tasks: tasks as resources: their phases and who may move them, UpdateTask, expiry and retention. Runs no
 * delegate: nothing but its callers moves a task yet. app wires it.
 */
export { tasksModule } from './tasks-module.ts';
