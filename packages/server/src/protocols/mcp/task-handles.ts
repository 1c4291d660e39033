import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { isRecord } from '../../base/index.ts';
import { McpFailure, type McpTask } from './contract.ts';

/**
 * Answers of servers that are tasks. The library knows no such result and refuses it, so a message with one is rewritten before the
 * library sees it: to a result without content that carries the task. What a server gains by writing that itself is a task of its own.
 */

/** Where a rewritten result carries the task. */
const TASK_META = 'svc/task';
/** Longest id: it travels in a header, and in the state of the turn that waits. */
const ID = /^[\x21-\x7e]{1,256}$/;
/** How often a task is asked for when its server says nothing, and the bounds of what it may say. */
const INTERVAL_MS = 5_000;
const INTERVAL_MIN_MS = 1_000;
const INTERVAL_MAX_MS = 60_000;

/** The message as the library takes it. */
export const withTaskHandle = (message: JSONRPCMessage): JSONRPCMessage => {
  if (!('result' in message)) return message;
  const { result } = message;
  const isNewer = result['resultType'] === 'task';
  if (!isNewer && !(isEmpty(result['content']) && isRecord(result['task']))) return message;
  const task = isNewer ? result : result['task'];
  // An error is not held against the schema that the tool declares for its output.
  const carrier = { resultType: 'complete', content: [], isError: true, _meta: { [TASK_META]: task } };
  return { ...message, result: carrier };
};

/** Some libraries put an empty list next to a task of the older era. */
const isEmpty = (content: unknown): boolean =>
  content === undefined || (Array.isArray(content) && content.length === 0);

/** The task that the answer to a call is, if it is one. Throws McpFailure for one that cannot be used. */
export const taskIn = (answer: { readonly _meta?: unknown }): McpTask | undefined => {
  const task = isRecord(answer._meta) ? answer._meta[TASK_META] : undefined;
  return task === undefined ? undefined : taskOf(task);
};

/** A task as its server describes it, in the words of either era. */
export const taskOf = (task: unknown): McpTask => {
  const { taskId, ttlMs, ttl, pollIntervalMs, pollInterval } = isRecord(task) ? task : {};
  if (typeof taskId !== 'string' || !ID.test(taskId))
    throw new McpFailure('malformed', 'the server named a task by something that is not an id');
  const lifeMs = positive(ttlMs ?? ttl);
  const intervalMs = positive(pollIntervalMs ?? pollInterval) ?? INTERVAL_MS;
  return {
    id: taskId,
    intervalMs: Math.min(INTERVAL_MAX_MS, Math.max(INTERVAL_MIN_MS, intervalMs)),
    ...(lifeMs === undefined ? {} : { lifeMs }),
  };
};

const positive = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.ceil(value) : undefined;
