import type { Tool, ToolSource } from '../../../../tools/contract.ts';
import { createTask, delegateTask } from './task-creation.ts';
import { getTask, listTasks } from './task-reads.ts';
import type { TaskToolsDeps } from './task-tools-deps.ts';
import { updateTask } from './task-update.ts';

/** list_tasks, get_task, create_task, update_task. */
export const taskTools = (deps: TaskToolsDeps): readonly Tool[] => [
  listTasks(deps),
  getTask(deps),
  createTask(deps),
  updateTask(deps),
];

/** delegate_task, for agents that have connections. */
export const delegationTools = (deps: TaskToolsDeps): ToolSource => ({
  name: 'tasks',
  names: ['delegate_task'],
  concerns: ({ connections }) => connections.length > 0,
  tools: async ({ grants }) => [delegateTask(deps, grants.connections)],
});
