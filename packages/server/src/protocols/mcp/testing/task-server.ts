import { fromJsonSchema, type McpServerFactory, ProtocolError, Server } from '@modelcontextprotocol/server';

interface TestTask {
  readonly taskId: string;
  /** The key by which the client would recognise its call. */
  readonly key: unknown;
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  more: Record<string, unknown>;
  answers: Record<string, unknown>;
}

const PARAMS = fromJsonSchema<{ taskId: string }>({
  type: 'object',
  properties: { taskId: { type: 'string' } },
  required: ['taskId'],
});
const UNKNOWN = -32_602;
const DATE = '2026-01-01T00:00:00Z';

/** What the tests see and move of the tasks of a server; it outlives every connection. */
export class TestTasks {
  readonly all = new Map<string, TestTask>();
  readonly cancelled: string[] = [];
  /** How often each task was asked for. */
  readonly looks = new Map<string, number>();
  /** Fields of every task, besides its state. */
  facts: Record<string, unknown> = { ttlMs: 3_600_000, pollIntervalMs: 1_000 };

  /** Ends the task with a text. */
  finish(taskId: string, text: string): void {
    this.#move(taskId, 'completed', { result: { content: [{ type: 'text', text }], isError: false } });
  }

  /** Ends the task, or lets it ask for a city. */
  move(taskId: string, status: TestTask['status'], more: Record<string, unknown> = {}): void {
    this.#move(taskId, status, more);
  }

  ask(taskId: string, ...ids: string[]): void {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const request = {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Which city?', requestedSchema: schema },
    };
    this.#move(taskId, 'input_required', { inputRequests: Object.fromEntries(ids.map((id) => [id, request])) });
  }

  #move(taskId: string, status: TestTask['status'], more: Record<string, unknown>): void {
    const task = this.all.get(taskId);
    if (task === undefined) throw new Error(`there is no task ${taskId}`);
    Object.assign(task, { status, more });
  }
}

/** A server of both eras whose one tool, `work`, answers with a task that the tests end. */
export const taskServer =
  (tasks: TestTasks): McpServerFactory =>
  ({ era }) => {
    const isOlder = era === 'legacy';
    const server = new Server(
      { name: 'test-tasks', version: '1' },
      {
        capabilities: {
          tools: {},
          ...(isOlder
            ? { tasks: { cancel: {}, requests: { tools: { call: {} } } } }
            : { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
        },
      },
    );
    const found = (taskId: string): TestTask => {
      const task = tasks.all.get(taskId);
      if (task === undefined) throw new ProtocolError(UNKNOWN, 'Task not found');
      return task;
    };
    const shown = ({ taskId, status, more }: TestTask): Record<string, unknown> => {
      const times = { createdAt: DATE, lastUpdatedAt: DATE };
      const { ttlMs, pollIntervalMs } = tasks.facts;
      const facts = isOlder ? { ttl: ttlMs, pollInterval: pollIntervalMs } : tasks.facts;
      const { result: _result, ...rest } = more;
      return { taskId, status, ...times, ...facts, ...(isOlder ? rest : more) };
    };
    server.setRequestHandler('tools/list', () => ({
      tools: [
        { name: 'work', inputSchema: { type: 'object' as const }, execution: { taskSupport: 'required' as const } },
      ],
    }));
    server.setRequestHandler('tools/call', ({ params }) => {
      if (isOlder && (params as { task?: unknown }).task === undefined)
        throw new ProtocolError(-32_601, 'needs a task');
      const taskId = `task-${tasks.all.size + 1}`;
      const key = params._meta?.['svc/idempotency-key'];
      const task: TestTask = { taskId, key, status: 'working', more: {}, answers: {} };
      tasks.all.set(taskId, task);
      return isOlder ? { content: [], task: shown(task) } : { content: [], resultType: 'task', ...shown(task) };
    });
    server.setRequestHandler('tasks/get', { params: PARAMS }, ({ taskId }) => {
      tasks.looks.set(taskId, (tasks.looks.get(taskId) ?? 0) + 1);
      return shown(found(taskId));
    });
    server.setRequestHandler('tasks/result', { params: PARAMS }, ({ taskId }) => ({
      ...(found(taskId).more['result'] as object),
    }));
    server.setRequestHandler('tasks/update', { params: PARAMS }, ({ taskId }, { mcpReq }) => {
      const task = found(taskId);
      Object.assign(task.answers, mcpReq.inputResponses);
      const asked = Object.keys((task.more['inputRequests'] ?? {}) as object);
      if (asked.every((id) => id in task.answers)) Object.assign(task, { status: 'working', more: {} });
      return {};
    });
    server.setRequestHandler('tasks/cancel', { params: PARAMS }, ({ taskId }) => {
      tasks.cancelled.push(taskId);
      Object.assign(found(taskId), { status: 'cancelled', more: {} });
      return {};
    });
    return server;
  };
