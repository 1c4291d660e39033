import { type McpConnection, McpFailure } from '../contract.ts';

const none = () => Promise.reject(new McpFailure('rejected', 'there are no tasks here'));

/** What a connection in memory needs to be one, whose server knows no tasks. */
export const noTasks: Pick<McpConnection, 'task' | 'answerTask' | 'cancelTask'> = {
  task: none,
  answerTask: none,
  cancelTask: none,
};
