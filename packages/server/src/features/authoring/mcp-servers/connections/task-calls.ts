import { type McpConnection, McpFailure, type McpTask, type McpTaskState } from '../../../../protocols/mcp/contract.ts';
import { errorResult, type ToolContext, type ToolResult, type ToolWait } from '../../../../tools/contract.ts';
import { isPassing } from './task-polls.ts';
import { isOverdue, personUntil, questionKey, type TaskPoll, taskKey, waitsUntil } from './task-wait-rules.ts';
import { asking, replyFrom, resultFor } from './tool-answers.ts';

/** Calls that became tasks of their server: begun once, and found again by every later run of the call. */

export interface TaskCall {
  /** The tool, as models know it. */
  readonly name: string;
  readonly server: string;
  readonly context: ToolContext;
  readonly use: <T>(signal: AbortSignal, work: (connection: McpConnection) => Promise<T>) => Promise<T>;
  /** Has the task checked from now on, whatever becomes of this process. */
  readonly queue: (context: ToolContext, poll: TaskCheck) => Promise<void>;
}

/** What of a queued check the call decides. */
export type TaskCheck = Pick<TaskPoll, 'taskId' | 'intervalMs' | 'known' | 'untilMicros'>;

/** How often a server that cannot be reached is asked for a task. */
const UNREACHED_MS = 30_000;
/** How often a task is checked whose call asks a person: when the turn is stopped meanwhile, the check cancels the task. */
const ASKED_MS = 60_000;

/** The server answered with a task: the call waits for its end. Rejects with McpFailure. */
export const waitForTask = async (
  call: TaskCall,
  task: McpTask,
  known: readonly string[] = [],
): Promise<ToolResult | ToolWait> => {
  const { name, context, queue } = call;
  if (isOverdue(context, task.id)) {
    await cancelled(call, task.id);
    return errorResult(name, 'timeout', 'the task did not end within its time', false);
  }
  const untilMicros = waitsUntil(context, task);
  await queue(context, { taskId: task.id, intervalMs: task.intervalMs, known, untilMicros });
  return { wait: 'event', key: taskKey(task.id), untilMicros };
};

/** A later run of the call. Rejects with McpFailure. */
export const resumeTask = async (call: TaskCall, taskId: string): Promise<ToolResult | ToolWait> => {
  const state = await reached(call, (connection, signal) => connection.task(taskId, signal));
  switch (state?.status) {
    case 'completed':
      return resultFor(state.result);
    case 'failed':
    case 'cancelled':
      return errorResult(call.name, 'failed', endText(state));
    case 'input_required':
      return answerTask(call, state);
    default:
      return waitForTask(call, state?.task ?? { id: taskId, intervalMs: UNREACHED_MS });
  }
};

/** Passes on what people answered; the first question that is open goes to a person. */
const answerTask = async (
  call: TaskCall,
  { task, questions }: Extract<McpTaskState, { status: 'input_required' }>,
): Promise<ToolResult | ToolWait> => {
  if (questions.length === 0) {
    await cancelled(call, task.id);
    return errorResult(call.name, 'failed', 'the task asks for input, which the protocol of 2025 cannot wait for');
  }
  const asked = questions.map(({ id, question }) => {
    const key = questionKey(task.id, id);
    return { id, question: { ...question, key }, reply: replyFrom(call.context.answers, key) };
  });
  const replied = asked.flatMap(({ id, reply }) => (reply === undefined ? [] : [[id, reply] as const]));
  const replies = Object.fromEntries(replied);
  const isSent =
    replied.length === 0 ||
    (await reached(call, async (connection, signal) => {
      await connection.answerTask(task.id, replies, signal);
      return true;
    })) === true;
  const open = asked.find(({ reply }) => reply === undefined);
  if (open === undefined) return waitForTask(call, task, isSent ? asked.map(({ question }) => question.key) : []);
  await call.queue(call.context, {
    taskId: task.id,
    intervalMs: ASKED_MS,
    known: asked.map(({ question }) => question.key),
    untilMicros: personUntil(call.context),
  });
  return asking(call.server, open.question);
};

/** Undefined when the server cannot be reached now. */
const reached = async <T>(
  { context: { signal }, use }: TaskCall,
  work: (connection: McpConnection, signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> => {
  try {
    return await use(signal, (connection) => work(connection, signal));
  } catch (error) {
    if (error instanceof McpFailure && isPassing(error)) return undefined;
    throw error;
  }
};

/** The task is of no use any more. A server that cannot be reached forgets it by itself. */
const cancelled = async (call: TaskCall, taskId: string): Promise<void> => {
  try {
    await call.use(call.context.signal, (connection) => connection.cancelTask(taskId, call.context.signal));
  } catch (error) {
    if (!(error instanceof McpFailure)) throw error;
  }
};

const endText = ({ status, reason }: Extract<McpTaskState, { status: 'failed' | 'cancelled' }>): string => {
  const text = status === 'failed' ? 'the task failed' : 'the server cancelled the task';
  return reason === '' ? text : `${text}: ${reason}`;
};
