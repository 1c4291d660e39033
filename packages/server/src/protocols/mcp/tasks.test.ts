import { afterEach, describe, expect, it } from 'vitest';
import { silentLog, systemClock } from '../../base/index.ts';
import { createMcpConnector } from './connector.ts';
import type { McpCall, McpConnection, McpFailure } from './contract.ts';
import { taskIn, taskOf, withTaskHandle } from './task-handles.ts';
import { openHttpServer } from './testing/http-server.ts';
import { TestTasks, taskServer } from './testing/task-server.ts';

const connector = createMcpConnector({ fetch: () => fetch, version: '0', clock: systemClock, log: silentLog });
const idle = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

const call: McpCall = {
  tool: 'work',
  input: {},
  meta: { 'svc/idempotency-key': 'k1' },
  signal: idle,
  progress: () => undefined,
  reply: () => undefined,
};

const kindOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: McpFailure) => error.kind,
  );

describe.each(['2026', '2025'] as const)('a server of %s that answers with tasks', (era) => {
  const begun = async (): Promise<{ tasks: TestTasks; connection: McpConnection }> => {
    const tasks = new TestTasks();
    const server = await openHttpServer(taskServer(tasks), { era });
    open.push(server);
    const target = { transport: 'http', url: server.url, headers: {}, isTrusted: false } as const;
    const connection = await connector.connect(target, { era: 'auto', signal: idle });
    open.push(connection);
    const [tool] = await connection.tools(idle);
    expect(tool?.needsTask).toBe(era === '2025');
    const outcome = await connection.call({ ...call, asTask: tool?.needsTask === true });
    expect(outcome).toEqual({ task: { id: 'task-1', intervalMs: 1_000, lifeMs: 3_600_000 } });
    return { tasks, connection };
  };

  it('gives the task, says how it is, and has its result once it ended', async () => {
    const { tasks, connection } = await begun();
    expect(tasks.all.get('task-1')?.key).toBe('k1');
    expect(await connection.task('task-1', idle)).toMatchObject({ status: 'working', task: { id: 'task-1' } });
    tasks.finish('task-1', 'done at last');
    const result = { content: [{ type: 'text', text: 'done at last' }], isError: false };
    expect(await connection.task('task-1', idle)).toEqual({ status: 'completed', result });
  });

  it('is told that a task is not needed any more, and says when it knows none', async () => {
    const { tasks, connection } = await begun();
    await connection.cancelTask('task-1', idle);
    expect(tasks.cancelled).toEqual(['task-1']);
    expect(await connection.task('task-1', idle)).toEqual({ status: 'cancelled', reason: '' });
    expect(await kindOf(connection.task('task-9', idle))).toBe('rejected');
  });

  it('asks in a task: by questions with names in the newer era', async () => {
    const { tasks, connection } = await begun();
    tasks.ask('task-1', 'a', 'b');
    const state = await connection.task('task-1', idle);
    expect(state.status === 'input_required' && state.questions.map(({ id }) => id)).toEqual(
      era === '2026' ? ['a', 'b'] : [],
    );
    if (era === '2025') return;
    await connection.answerTask('task-1', { a: { action: 'accept', content: { city: 'Oslo' } } }, idle);
    await connection.answerTask('task-1', { b: { action: 'decline' } }, idle);
    expect(tasks.all.get('task-1')).toMatchObject({
      status: 'working',
      answers: { a: { action: 'accept', content: { city: 'Oslo' } }, b: { action: 'decline' } },
    });
  });

  it('that breaks its word is a failure of the task alone', async () => {
    const { tasks, connection } = await begun();
    for (const result of [{ content: 'x' }, { content: [{ type: 'text' }] }, { content: [{ type: 'resource' }] }]) {
      tasks.move('task-1', 'completed', { result });
      expect(await kindOf(connection.task('task-1', idle))).toMatch(/malformed|rejected/);
    }
    tasks.move('task-1', 'away' as 'working');
    expect(await kindOf(connection.task('task-1', idle))).toBe('malformed');
    if (era === '2026') {
      tasks.move('task-1', 'input_required', {
        inputRequests: { a: { method: 'sampling/createMessage', params: {} } },
      });
      expect(await kindOf(connection.task('task-1', idle))).toBe('malformed');
      tasks.move('task-1', 'failed', { statusMessage: 'no disk', error: { code: 1, message: 'x' } });
      expect(await connection.task('task-1', idle)).toEqual({ status: 'failed', reason: 'no disk' });
    }
    tasks.finish('task-1', 'after all');
    expect(await connection.task('task-1', idle)).toMatchObject({ status: 'completed' });
  });
});

describe('a task as its server describes it', () => {
  it.each([
    [{ taskId: 'a' }, { id: 'a', intervalMs: 5_000 }],
    [
      { taskId: 'a', ttlMs: null, pollIntervalMs: 1 },
      { id: 'a', intervalMs: 1_000 },
    ],
    [
      { taskId: 'a', ttlMs: 1.5, pollIntervalMs: 1e9 },
      { id: 'a', intervalMs: 60_000, lifeMs: 2 },
    ],
    [
      { taskId: 'a', ttl: -5, pollInterval: Number.NaN },
      { id: 'a', intervalMs: 5_000 },
    ],
  ])('%j is asked for within bounds', (given, task) => {
    expect(taskOf(given)).toEqual(task);
  });

  it.each([{}, { taskId: '' }, { taskId: 'a\r\nx: y' }, { taskId: 'é' }, { taskId: 'x'.repeat(257) }, 'a'])(
    '%j is refused: it has no id that can be sent',
    (given) => {
      expect(() => taskOf(given)).toThrow('not an id');
    },
  );

  it('is found in the answer to a call of either era, and nowhere else', () => {
    const answer = (result: Record<string, unknown>) => ({ jsonrpc: '2.0' as const, id: 1, result });
    const read = (result: Record<string, unknown>) => {
      const message = withTaskHandle(answer(result));
      return 'result' in message ? taskIn(message.result)?.id : undefined;
    };
    expect(read({ resultType: 'task', taskId: 'n' })).toBe('n');
    expect(read({ task: { taskId: 'o' } })).toBe('o');
    for (const result of [
      { resultType: 'complete', content: [] },
      { content: [{ type: 'text', text: 'x' }], task: { taskId: 'x' } },
      { task: 7 },
    ])
      expect(read(result)).toBeUndefined();
    const request = { jsonrpc: '2.0' as const, id: 1, method: 'ping' };
    expect(withTaskHandle(request)).toBe(request);
  });
});
