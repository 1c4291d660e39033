import { type McpConnection, McpFailure } from '../contract.ts';

const none = () => Promise.reject(new McpFailure('rejected', 'there are no tasks here'));

/** What a connection in memory needs to be one, whose server knows neither tasks nor skills. */
export const noExtensions: Omit<
  McpConnection,
  'server' | 'isClosed' | 'tools' | 'call' | 'ping' | 'onToolsChanged' | 'close'
> = {
  task: none,
  answerTask: none,
  cancelTask: none,
  skills: async () => ({ skills: [], refused: 0 }),
  skillText: none,
  skillFile: none,
  onSkillsChanged: () => undefined,
};
