import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { createPeerClient, type PeerClient, PeerFailure, type RemoteTask } from './index.ts';
import { answer, json, LocalPeer, type Reply } from './testing/local-peer.ts';

const BEARER = 'the-credential-of-the-connection';
const MESSAGE = {
  id: 'message-1',
  contextId: '',
  taskId: '',
  parts: [{ kind: 'text', text: 'count' } as const],
  metadata: {},
  outputModes: [],
};

const task = (state: string, more: object = {}) => ({
  id: 'task-1',
  contextId: 'context-1',
  status: { state },
  ...more,
});

describe('a peer that is called', () => {
  const peer = new LocalPeer();
  let clock: ManualClock;
  let client: PeerClient;
  const signal = new AbortController().signal;
  const target = (bearer = '') => ({ cardUrl: `${peer.url}/card`, bearer, isTrusted: false });
  const send = (bearer = '', begun: (task: RemoteTask) => Promise<void> = async () => undefined): Promise<RemoteTask> =>
    client.send(target(bearer), MESSAGE, { signal, begun });
  const failure = async (work: Promise<unknown>): Promise<string> => {
    try {
      await work;
      return 'no failure';
    } catch (error) {
      if (!(error instanceof PeerFailure)) throw error;
      return `${error.kind}: ${error.message}`;
    }
  };

  beforeEach(async () => {
    await peer.start();
    peer.card = {};
    peer.raw = undefined;
    peer.requests.length = 0;
    clock = new ManualClock();
    client = createPeerClient({ fetch: () => fetch, clock });
  });
  afterEach(() => peer.close());

  it('gets the message with its id and the credential of the connection, and only the server of the card does', async () => {
    peer.reply = (rpc, response) =>
      json(
        response,
        answer(rpc, {
          task: task('TASK_STATE_COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{ text: '41' }] }] }),
        }),
      );
    expect(await send(BEARER)).toMatchObject({
      id: 'task-1',
      contextId: 'context-1',
      state: 'completed',
      parts: [{ kind: 'text', text: '41' }],
    });
    const [card, call] = peer.requests;
    expect(card).toMatchObject({ path: '/card', authorization: '' });
    expect(call).toMatchObject({ path: '/rpc', authorization: `Bearer ${BEARER}` });
    expect(JSON.parse(call?.body ?? '')).toMatchObject({
      method: 'SendMessage',
      params: { message: { messageId: 'message-1' }, configuration: { returnImmediately: true } },
    });
    await send(BEARER);
    expect(peer.requests.filter(({ path }) => path === '/card')).toHaveLength(1);
    await clock.advance(301_000);
    peer.card = {
      supportedInterfaces: [{ url: 'http://127.0.0.2:9/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    };
    expect(await failure(send(BEARER))).toContain('refused: the card leads to another server');
  });

  it('is listened to until its task is settled, and then asked for all of it', async () => {
    peer.card = { capabilities: { streaming: true } };
    peer.reply = (rpc, response) => {
      if (rpc.method === 'GetTask')
        return json(response, answer(rpc, task('TASK_STATE_INPUT_REQUIRED', { status: { state: 6, message: ASKS } })));
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const update = { taskId: 'task-1', contextId: 'context-1', status: { state: 'TASK_STATE_INPUT_REQUIRED' } };
      for (const result of [{ task: task('TASK_STATE_WORKING') }, { statusUpdate: update }])
        response.write(`data: ${JSON.stringify(answer(rpc, result))}\n\n`);
    };
    const begun: string[] = [];
    const asked = await send('', async ({ id, state }) => void begun.push(`${id} ${state}`));
    expect(begun).toEqual(['task-1 working']);
    expect(asked).toMatchObject({ state: 'input-required', statusParts: [{ kind: 'text', text: 'Which?' }] });
  });

  it('that breaks off or talks on without end is asked for its task later', async () => {
    peer.card = { capabilities: { streaming: true } };
    peer.reply = (rpc, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(answer(rpc, { task: task('TASK_STATE_WORKING') }))}\n\n`);
      const chunk = `: ${'x'.repeat(65_536)}\n\n`;
      const more = (): void => {
        while (response.write(chunk));
        response.once('drain', more);
      };
      more();
    };
    expect(await send()).toMatchObject({ id: 'task-1', state: 'working' });
    peer.reply = (rpc, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`data: ${JSON.stringify(answer(rpc, { task: task('TASK_STATE_WORKING') }))}\n\n`);
      response.end();
    };
    expect(await send()).toMatchObject({ id: 'task-1', state: 'working' });
  });

  it('that does not answer is out of reach after 20 seconds', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    peer.reply = () => resolve();
    const failed = failure(send());
    await promise;
    await clock.advance(20_001);
    expect(await failed).toBe('unavailable: it cannot be reached or did not answer in time');
  });

  it.each<[string, number, object | string, string]>([
    ['is down', 503, {}, 'unavailable: it answered 503'],
    ['refuses the credential', 401, {}, 'refused: it refused the credential (401)'],
    ['leads elsewhere', 302, {}, 'refused: it answered 302: redirects are not followed'],
    ['answers no JSON', 200, '<html>', 'malformed: its answer is not of the protocol'],
    ['answers what is no task', 200, { jsonrpc: '2.0', id: 1, result: { task: 7 } }, 'malformed'],
    ['nests without end', 200, '['.repeat(100_000), 'malformed: its answer nests too deep'],
    ['sends too much', 200, 'x'.repeat(9_000_000), 'malformed: its answer is larger than 8388608 bytes'],
  ])('that %s costs one failed call', async (...[, status, body, expected]) => {
    await client.card(target(), signal);
    peer.reply = (_rpc, response) => {
      const headers = { 'content-type': 'application/json', location: 'http://127.0.0.3:9/' };
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    expect(await failure(send(BEARER))).toContain(expected);
  });

  it('with a card that cannot be read is refused', async () => {
    peer.raw = (_request, response) => {
      response.writeHead(302, { location: 'http://127.0.0.3:9/card' }).end();
      return true;
    };
    expect(await failure(client.card(target(), signal))).toContain('redirects are not followed');
    peer.raw = (_request, response) => {
      json(response, { name: 'x'.repeat(300_000) });
      return true;
    };
    expect(await failure(client.card(target(), signal))).toContain('larger than 262144 bytes');
    peer.raw = (_request, response) => {
      json(response, []);
      return true;
    };
    expect(await failure(send())).toContain('malformed');
    peer.close();
    expect(await failure(client.card(target(), signal))).toContain('unavailable');
  });

  it('that knows no such task says so, and one that is over needs no cancelling', async () => {
    const error =
      (code: number, message: string): Reply =>
      (rpc, response) =>
        json(response, { jsonrpc: '2.0', id: rpc.id, error: { code, message } });
    peer.reply = error(-32_001, 'nothing here');
    expect(await failure(client.task(target(), 'task-1', signal))).toBe('gone: it knows no such task');
    await client.cancel(target(), 'task-1', signal);
    peer.reply = error(-32_603, `I saw ${BEARER}`);
    expect(await failure(client.task(target(BEARER), 'task-1', signal))).toBe(
      'refused: it answered: I saw [credential]',
    );
  });

  it('answers with a message in place of a task', async () => {
    peer.reply = (rpc, response) =>
      json(
        response,
        answer(rpc, {
          message: { messageId: 'r', contextId: 'context-2', role: 'ROLE_AGENT', parts: [{ text: BEARER }] },
        }),
      );
    expect(await send(BEARER)).toMatchObject({
      id: '',
      contextId: 'context-2',
      state: 'completed',
      parts: [{ kind: 'text', text: '[credential]' }],
    });
  });

  it('gives no credential back in the events of a stream, however it is cut', async () => {
    peer.card = { capabilities: { streaming: true } };
    peer.reply = (rpc, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const message = { messageId: 'r', contextId: 'c', role: 'ROLE_AGENT', parts: [{ text: `Ünd ${BEARER}` }] };
      const event = Buffer.from(`data: ${JSON.stringify(answer(rpc, { message }))}\n\n`);
      const middle = event.indexOf(BEARER) + 5;
      response.write(event.subarray(0, middle), () => setImmediate(() => response.end(event.subarray(middle))));
    };
    expect(await send(BEARER)).toMatchObject({ id: '', parts: [{ kind: 'text', text: 'Ünd [credential]' }] });
  });

  it('throws what its caller throws', async () => {
    peer.reply = (rpc, response) => json(response, answer(rpc, { task: task('TASK_STATE_WORKING') }));
    const begun = () => Promise.reject(new Error('the store is away'));
    await expect(send('', begun)).rejects.toThrow('the store is away');
  });
});

const ASKS = { messageId: 'q', role: 'ROLE_AGENT', parts: [{ text: 'Which?' }] };
