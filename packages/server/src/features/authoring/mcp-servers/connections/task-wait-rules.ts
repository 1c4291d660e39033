import { createHash } from 'node:crypto';
import { isRecord } from '../../../../base/index.ts';
import type { McpTask } from '../../../../protocols/mcp/contract.ts';
import type { ToolContext, ToolWait } from '../../../../tools/contract.ts';

/** How a call remembers the task that it became: in the key of what it waits for, which its turn records. */

const PREFIX = 'mcp-task/';
/** The encoded id in a key: that of the task itself, of one of its questions, or of what the call waits for meanwhile. */
const TASK = /(?:^|\/)mcp-task\/([^#/]+)/;
/** The longest that a call waits for a task whose server does not say how long it keeps it, and for any task at all. */
const UNSAID_MS = 24 * 3_600_000;
const LONGEST_MS = 7 * 24 * 3_600_000;
const MICROS = 1_000;
/** How long after a sign-in the tools of its server are read. */
const TOOLS_MICROS = 1_000_000;

/** The key under which calls wait for a task. */
export const taskKey = (taskId: string): string => `${PREFIX}${encodeURIComponent(taskId)}`;

/** The key of one question of a task. */
export const questionKey = (taskId: string, questionId: string): string =>
  `${taskKey(taskId)}#${createHash('sha256').update(questionId).digest('hex').slice(0, 32)}`;

/** The key of a sign-in that a call asks for. A person's answer replaces the recorded wait, so the key names the task, too. */
export const signInKey = (question: string, context: Pick<ToolContext, 'waited' | 'answers'>): string => {
  const taskId = taskOfCall(context);
  return taskId === undefined ? question : `${question}/${taskKey(taskId)}`;
};

/** The wait of a call that has a task and cannot ask for it before the next step, which reads the tools of its server again. */
export const waitForTools = (
  { waited, nowMicros }: Pick<ToolContext, 'waited' | 'nowMicros'>,
  taskId: string,
): ToolWait => {
  const key = `tools/${taskKey(taskId)}`;
  return { wait: 'event', key, untilMicros: waited?.key === key ? waited.untilMicros : nowMicros + TOOLS_MICROS };
};

/** The task that the call waits for or asked a person for, undefined as long as it has none. */
export const taskOfCall = ({ waited, answers }: Pick<ToolContext, 'waited' | 'answers'>): string | undefined => {
  const keys = [...answers.map(({ key }) => key), waited?.key ?? ''];
  const ids = keys.flatMap((key) => TASK.exec(key)?.[1] ?? []);
  return ids.length === 0 ? undefined : decodeURIComponent(ids.at(-1) as string);
};

/** Until when a call waits: as long as the server keeps the task. A wait that was recorded stays as it is. */
export const waitsUntil = (
  { waited, nowMicros }: Pick<ToolContext, 'waited' | 'nowMicros'>,
  { id, lifeMs = UNSAID_MS }: McpTask,
): number => (waited?.key === taskKey(id) ? waited.untilMicros : nowMicros + Math.min(lifeMs, LONGEST_MS) * MICROS);

/** True for a call that has waited for the task as long as it was going to. */
export const isOverdue = ({ waited, nowMicros }: Pick<ToolContext, 'waited' | 'nowMicros'>, taskId: string): boolean =>
  waited?.key === taskKey(taskId) && nowMicros >= waited.untilMicros;

/** Until when a task is checked whose call waits for a person. */
export const personUntil = ({ nowMicros }: Pick<ToolContext, 'nowMicros'>): number => nowMicros + LONGEST_MS * MICROS;

/** A queued check of a task: everything that another process needs for it. */
export interface TaskPoll {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly identity: string;
  readonly turnId: string;
  /** The agent's own word for the server. */
  readonly server: string;
  readonly taskId: string;
  readonly intervalMs: number;
  /** Keys of the questions that people were asked already: these do not wake the call. */
  readonly known: readonly string[];
  /** When the checks end, in Unix micros. */
  readonly untilMicros: number;
}

/** The stored form. Throws for anything else than what `JSON.stringify` made of one. */
export const parsePoll = (payload: string): TaskPoll => {
  const value: unknown = JSON.parse(payload);
  if (!isRecord(value)) throw new Error('a queued check of an MCP task is not an object');
  return value as unknown as TaskPoll;
};
