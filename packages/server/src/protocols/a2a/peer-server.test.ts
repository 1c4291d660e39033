import { describe, expect, it } from 'vitest';
import { Fault } from '../../base/index.ts';
import { createPeerServer, type PeerAgent, type PeerCard, type PeerPush, type PeerTask } from './index.ts';

const CARD: PeerCard = {
  name: 'clerk',
  description: '',
  version: '1',
  url: 'http://127.0.0.1/a2a',
  isStreaming: true,
  hasExtendedCard: false,
  hasPushes: false,
  needsToken: false,
  inputModes: [],
  outputModes: [],
  skills: [],
};
const TASK: PeerTask = { id: 't', contextId: 'c', state: 'working', statusParts: [], atMs: 0, artifacts: [] };
const PUSH: PeerPush = {
  taskId: 't',
  id: 'p',
  url: 'http://127.0.0.1/hook',
  token: '',
  scheme: '',
  credentials: '',
  form: 'modern',
};
const VERSIONS = ['1.0', '0.3'] as const;

/** An agent that throws what it is given: at once, or after the first event of a stream. */
const agentThat = (error?: unknown): PeerAgent => {
  const answer = async (): Promise<PeerTask> => {
    if (error !== undefined) throw error;
    return TASK;
  };
  const events = async function* events() {
    yield { kind: 'task' as const, task: TASK };
    if (error !== undefined) throw error;
  };
  const pushes = {
    set: async () => PUSH,
    get: async () => PUSH,
    list: async () => [PUSH],
    remove: async () => undefined,
  };
  return {
    pushes,
    card: () => CARD,
    extendedCard: () => CARD,
    send: answer,
    stream: events,
    follow: events,
    task: answer,
    tasks: async () => ({ tasks: [await answer()], nextPageToken: '' }),
    cancel: answer,
  };
};

const peers = createPeerServer();
const rpc = (version: string, body: string, error?: unknown) =>
  peers.jsonRpc(body, { version, agent: agentThat(error) });
const rest = (version: string, path: string, { query = '', body = '', error = undefined as unknown } = {}) =>
  peers.rest(
    { method: body === '' ? 'GET' : 'POST', path, query: new URLSearchParams(query), body },
    { version, agent: agentThat(error) },
  );
const shown = (answer: Awaited<ReturnType<typeof rpc>>) => {
  if (answer.kind === 'stream') throw new Error('a stream came instead of an answer');
  return { status: answer.status, body: JSON.parse(answer.body) as unknown };
};
const sending = (message: unknown) =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'SendMessage', params: { message } });

describe('requests of peers', () => {
  it.each(VERSIONS)('that are not requests at all are refused as invalid in version %s', async (version) => {
    for (const text of ['null', '[]', '1', '"x"', '{', '{}']) {
      const code = version === '1.0' || text === 'null' ? -32_602 : -32_600;
      const body = { jsonrpc: '2.0', id: null, error: { code } };
      expect({ text, ...shown(await rpc(version, text)) }).toMatchObject({ text, status: 200, body });
    }
  });

  it('that have members of other types than the protocol says are refused as invalid', async () => {
    for (const part of [null, { raw: 7 }]) {
      const message = { messageId: 'm', parts: [part] };
      expect(shown(await rpc('1.0', sending(message)))).toMatchObject({ body: { id: 7, error: { code: -32_602 } } });
      const sent = await rest('1.0', 'message:send', { body: JSON.stringify({ message }) });
      expect(shown(sent)).toMatchObject({ status: 400 });
    }
  });

  it('name a page size from 1 to 100', async () => {
    for (const size of ['-5', '1.5', 'many']) {
      const refused = shown(await rest('1.0', 'tasks', { query: `contextId=c&pageSize=${size}` }));
      expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('pageSize') } } });
    }
    for (const [asked, size] of [
      ['', 100],
      ['7', 7],
      ['500', 100],
    ] as const)
      expect(shown(await rest('1.0', 'tasks', { query: `contextId=c&pageSize=${asked}` }))).toMatchObject({
        status: 200,
        body: { pageSize: size },
      });
  });
});

describe('what an agent throws', () => {
  const missing = new Fault('NOT_FOUND', 'TURN_NOT_FOUND', 'there is no such task');
  const getTask = (version: string) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: version === '1.0' ? 'GetTask' : 'tasks/get', params: { id: 't' } });
  const follow = (version: string) =>
    getTask(version).replace('GetTask', 'SubscribeToTask').replace('tasks/get', 'tasks/resubscribe');

  it.each(VERSIONS)('is an error of the protocol where it has one, in version %s', async (version) => {
    expect(shown(await rpc(version, getTask(version), missing))).toMatchObject({
      status: 200,
      body: { id: 1, error: { code: -32_001, message: 'there is no such task' } },
    });
    expect(shown(await rest(version, 'tasks/t', { error: missing })).status).toBe(404);
  });

  it.each(VERSIONS)('is thrown where the protocol has no error for it, in version %s', async (version) => {
    for (const error of [new Error('of the program'), new Fault('RESOURCE_EXHAUSTED', 'QUEUE_FULL', 'full')]) {
      await expect(rpc(version, getTask(version), error)).rejects.toBe(error);
      await expect(rest(version, 'tasks/t', { error })).rejects.toBe(error);
    }
  });

  it.each(VERSIONS)('ends a stream that has begun, in version %s', async (version) => {
    const answer = await rpc(version, follow(version), missing);
    if (answer.kind !== 'stream') throw new Error('an answer came instead of a stream');
    expect((await answer.events.next()).value).toContain('"t"');
    await expect(answer.events.next()).rejects.toBe(missing);
  });
});
