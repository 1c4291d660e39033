import type { Server, ServerContext } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/index.ts';
import type { McpOffer, McpTask, McpTaskReply } from './contract.ts';

/** Tasks in the words of both eras: since 2026-07-28 an extension of its own, before that a part of the protocol. */

type Library = typeof import('@modelcontextprotocol/server');

/** The name of the extension in capabilities. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const TASK_PARAMS = { type: 'object', properties: { taskId: { type: 'string' } }, required: ['taskId'] } as const;
/** How often clients are asked to poll a task. */
const INTERVAL_MS = 2_000;

/** Whether the client, on this request, says that it knows tasks. */
export const knowsTasks = (context: ServerContext): boolean =>
  isRecord(declared(context, 'extensions')?.[TASKS_EXTENSION]);

const declared = ({ mcpReq }: ServerContext, name: string): Readonly<Record<string, unknown>> | undefined => {
  const envelope: unknown = mcpReq.envelope;
  const capabilities = isRecord(envelope) ? envelope[CLIENT_CAPABILITIES] : undefined;
  const capability = isRecord(capabilities) ? capabilities[name] : undefined;
  return isRecord(capability) ? capability : undefined;
};

/** The answer to a call that became a task. */
export const taskAnswer = (task: McpTask, isOlder: boolean) => {
  const shown = seedOf(task, isOlder);
  return isOlder ? { content: [], task: shown } : { content: [], resultType: 'task', ...shown };
};

/** A task without what it asks or came to. */
const seedOf = ({ id, status, message, createdAtMs, updatedAtMs }: McpTask, isOlder: boolean) => ({
  taskId: id,
  // The newer protocol keeps `failed` for errors of the protocol itself.
  status: status === 'failed' && !isOlder ? 'completed' : status,
  ...(message === '' ? {} : { statusMessage: message }),
  createdAt: new Date(createdAtMs).toISOString(),
  lastUpdatedAt: new Date(updatedAtMs).toISOString(),
  // Turns are kept as long as their session.
  ...(isOlder ? { ttl: null, pollInterval: INTERVAL_MS } : { ttlMs: null, pollIntervalMs: INTERVAL_MS }),
});

/** The result of a task as a call would have had it. */
const resultOf = ({ result }: McpTask) => ({
  content: [{ type: 'text' as const, text: result?.text ?? '' }],
  ...(result?.structured === undefined ? {} : { structuredContent: { ...result.structured } }),
  isError: result?.isError === true,
});

/** The task with what it asks, for a client that may ask people, and what it came to. */
const shownTask = (task: McpTask, canAsk: boolean): Record<string, unknown> => {
  const seed = seedOf(task, false);
  if (task.status === 'input_required') {
    if (!canAsk) return { ...seed, status: 'working' };
    const asked = task.questions.map(({ id, message, schema }) => {
      const params = { mode: 'form', message, requestedSchema: schema };
      return [id, { method: 'elicitation/create', params }] as const;
    });
    return { ...seed, inputRequests: Object.fromEntries(asked) };
  }
  return task.result === undefined ? seed : { ...seed, result: resultOf(task) };
};

interface TaskServing {
  readonly server: Server;
  readonly library: Library;
  readonly offer: McpOffer;
  readonly isOlder: boolean;
}

/** Answers what clients ask about tasks. */
export const offerTasks = ({ server, library, offer, isOlder }: TaskServing): void => {
  const { ProtocolError, ProtocolErrorCode, MissingRequiredClientCapabilityError, fromJsonSchema } = library;
  const params = fromJsonSchema<{ taskId: string }>(TASK_PARAMS);
  const missing = (id: string): Error => new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no task ${id}`);
  const requireTasks = (context: ServerContext): void => {
    if (isOlder || knowsTasks(context)) return;
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } });
  };
  const found = async (id: string): Promise<McpTask> => {
    const task = await offer.task(id);
    if (task === undefined) throw missing(id);
    return task;
  };
  server.setRequestHandler('tasks/get', { params }, async ({ taskId }, context) => {
    requireTasks(context);
    const task = await found(taskId);
    return isOlder ? seedOf(task, true) : shownTask(task, declared(context, 'elicitation') !== undefined);
  });
  server.setRequestHandler('tasks/cancel', { params }, async ({ taskId }, context) => {
    requireTasks(context);
    if (!(await offer.cancelTask(taskId))) throw missing(taskId);
    return isOlder ? seedOf(await found(taskId), true) : {};
  });
  if (isOlder) offerOlder({ server, library, offer, isOlder }, found);
  else
    server.setRequestHandler('tasks/update', { params }, async ({ taskId }, context) => {
      requireTasks(context);
      if (!(await offer.answerTask(taskId, repliesIn(context)))) throw missing(taskId);
      return {};
    });
};

/** What only the older era has: the result by itself, and lists. */
const offerOlder = ({ server, library, offer }: TaskServing, found: (id: string) => Promise<McpTask>): void => {
  const params = library.fromJsonSchema<{ taskId: string }>(TASK_PARAMS);
  server.setRequestHandler('tasks/result', { params }, async ({ taskId }, { mcpReq }) => {
    await found(taskId);
    await offer.taskEnded(taskId, mcpReq.signal);
    const related = { _meta: { 'io.modelcontextprotocol/related-task': { taskId } } };
    return { ...resultOf(await found(taskId)), ...related };
  });
  const page = library.fromJsonSchema<{ cursor?: string }>({
    type: 'object',
    properties: { cursor: { type: 'string' } },
  });
  server.setRequestHandler('tasks/list', { params: page }, async ({ cursor = '' }) => {
    const { tasks, nextCursor } = await offer.tasks(cursor);
    const shown = tasks.map((task) => seedOf(task, true));
    return nextCursor === '' ? { tasks: shown } : { tasks: shown, nextCursor };
  });
};

/** Replies that say yes or no; a form that was only closed says neither. */
const repliesIn = ({ mcpReq }: ServerContext): readonly McpTaskReply[] =>
  Object.entries(mcpReq.inputResponses ?? {}).flatMap(([questionId, response]) => {
    const { action, content }: Readonly<Record<string, unknown>> = isRecord(response) ? response : {};
    if (action !== 'accept' && action !== 'decline') return [];
    const isAccepted = action === 'accept';
    return [{ questionId, isAccepted, content: isAccepted && isRecord(content) ? content : {} }];
  });
