import { type Message, SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const TOKEN = 'a-token-for-peers-that-is-long-enough';
const app = AppUnderTest.ofSuite({ 'auth.mode': '["token"]', 'auth.token': TOKEN });
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };
const BASE = '/a2a/default/clerk';

const authorized: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set('authorization', AUTHORIZED.authorization);
  return fetch(input, { ...init, headers });
};

beforeAll(async () => {
  const agentCard = { description: 'Counts.', capabilities: { streaming: true, extendedAgentCard: true } };
  const goals = [{ action: 'create', approval: 'ask' }];
  const spec = {
    a2a: { agentCard },
    features: [{ type: 'toolset', name: 'goals' }],
    capabilities: { goals, people: ['ask'] },
  };
  await app.rest.ok('POST /v1/ns/default/agents', { name: 'clerk', spec }, AUTHORIZED);
  await app.rest.ok('POST /v1/ns/default/agents', { name: 'hidden' }, AUTHORIZED);
});

const clientOf = (transport: 'JSONRPC' | 'HTTP+JSON', isLegacy = false) => {
  const options = { fetchImpl: authorized, ...(isLegacy ? { legacyCompat: { enabled: true } } : {}) };
  const factory = new ClientFactory({
    transports: [transport === 'JSONRPC' ? new JsonRpcTransportFactory(options) : new RestTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  });
  return factory.createFromUrl(`${app.url}${BASE}/`, '.well-known/agent-card.json');
};

let count = 0;
const message = (
  text: string,
  more: { readonly id?: string; readonly taskId?: string; readonly contextId?: string } = {},
) => {
  count += 1;
  const { id: messageId = `message-${count}`, ...place } = more;
  return SendMessageRequest.fromJSON({
    message: { messageId, role: 'ROLE_USER', parts: [{ text }], ...place },
  });
};

const textOf = (parts: Message['parts'] = []): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');
const replyOf = (task: Task): string => task.artifacts.map(({ parts }) => textOf(parts)).join('|');
const asTask = (result: Message | Task): Task => {
  if ('messageId' in result) throw new Error('a message came instead of a task');
  return result;
};

/** States and the text of the artifact as a peer puts it together. */
const followed = async (events: AsyncIterable<StreamResponse>) => {
  const states: (TaskState | undefined)[] = [];
  let text = '';
  let taskId = '';
  for await (const { payload } of events) {
    if (payload?.$case === 'task') {
      states.push(payload.value.status?.state);
      taskId = payload.value.id;
    }
    if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state);
    if (payload?.$case !== 'artifactUpdate') continue;
    const piece = textOf(payload.value.artifact?.parts);
    text = payload.value.append ? text + piece : piece;
  }
  return { states, text, taskId };
};

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('an agent with a card, over %s', (transport) => {
  it('answers a message once, in the context that the peer names', async () => {
    const client = await clientOf(transport);
    const first = asTask(await client.sendMessage(message('hello', { id: `same-${transport}` })));
    expect(first).toMatchObject({ status: { state: TaskState.TASK_STATE_COMPLETED } });
    expect(replyOf(first)).toBe('You said: hello');
    const again = asTask(await client.sendMessage(message('hello', { id: `same-${transport}` })));
    expect(again.id).toBe(first.id);
    const next = asTask(await client.sendMessage(message('more', { contextId: first.contextId })));
    expect(next.contextId).toBe(first.contextId);
    expect(next.id).not.toBe(first.id);
    const got = await client.getTask({ tenant: '', id: next.id });
    expect([replyOf(got), textOf(got.history[0]?.parts)]).toEqual(['You said: more', 'more']);
    await expect(client.sendMessage(message('late', { taskId: first.id }))).rejects.toThrow('is over');
  });

  it('streams what it writes, and how it ended to a peer that comes back', async () => {
    const client = await clientOf(transport);
    const sent = await followed(client.sendMessageStream(message('one two three')));
    expect(sent.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(sent.text).toBe('You said: one two three');
    const again = await followed(client.resubscribeTask({ tenant: '', id: sent.taskId }));
    expect(again.states).toEqual([TaskState.TASK_STATE_COMPLETED]);
  });

  it('is stopped by its peer', async () => {
    const client = await clientOf(transport);
    const request = { ...message('!delay 60000\n!say late'), configuration: undefined };
    const started = asTask(
      await client.sendMessage(
        SendMessageRequest.fromJSON({
          ...(SendMessageRequest.toJSON(request) as object),
          configuration: { returnImmediately: true },
        }),
      ),
    );
    expect([TaskState.TASK_STATE_SUBMITTED, TaskState.TASK_STATE_WORKING]).toContain(started.status?.state);
    const stopped = await client.cancelTask({ tenant: '', id: started.id, metadata: undefined });
    expect(stopped.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
    const cancelled = client.cancelTask({ tenant: '', id: started.id, metadata: undefined });
    await expect(cancelled).rejects.toThrow();
  });

  it('asks its peer and goes on with the answer', async () => {
    const client = await clientOf(transport);
    const ask = '!tool create_goal {"objective":"Ship it"}\n!say shipped';
    const asked = await followed(client.sendMessageStream(message(ask)));
    expect(asked.states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    await expect(client.sendMessage(message('what?', { taskId: asked.taskId }))).rejects.toThrow('must be an answer');
    const done = asTask(await client.sendMessage(message('allow', { taskId: asked.taskId })));
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(replyOf(done)).toBe('shipped');
  });
});

describe('a peer', () => {
  it('of version 0.3 is served too', async () => {
    const client = await clientOf('JSONRPC', true);
    const rpc = async (method: string, params: object) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params });
      const headers = { ...AUTHORIZED, 'content-type': 'application/json' };
      return (await app.rest.fetch(BASE, { method: 'POST', headers, body })).json();
    };
    const old = { kind: 'message', messageId: 'old-1', role: 'user', parts: [{ kind: 'text', text: 'old' }] };
    const sent = await rpc('message/send', { message: old });
    expect(sent).toMatchObject({ id: 7, result: { kind: 'task', status: { state: 'completed' } } });
    const rest = await app.rest.call(
      `POST ${BASE}/v1/message:send`,
      { message: { ...old, messageId: 'old-2' } },
      AUTHORIZED,
    );
    expect(rest).toMatchObject({ status: 200, body: { status: { state: 'completed' } } });
    expect((await client.getAgentCard()).name).toBe('clerk');
  });

  it('sees cards without a credential, and nothing else', async () => {
    const card = await app.rest.call(`GET ${BASE}/.well-known/agent-card.json`);
    expect(card).toMatchObject({
      status: 200,
      body: { name: 'clerk', description: 'Counts.', url: app.url + BASE, protocolVersion: '0.3.0' },
    });
    expect((await app.rest.call('GET /a2a/default/hidden/.well-known/agent-card.json')).status).toBe(404);
    expect((await app.rest.call('GET /a2a/none/clerk/.well-known/agent-card.json')).status).toBe(404);
    expect((await app.rest.call(`POST ${BASE}`, {})).status).toBe(401);
    expect((await app.rest.call(`POST ${BASE}/v1/message:send`, {})).status).toBe(401);
  });

  it('sees no tasks of agents and sessions that it has no right to', async () => {
    const client = await clientOf('JSONRPC');
    const task = asTask(await client.sendMessage(message('secret')));
    const grants = [{ role: 'viewer', namespace: 'default', agent: 'hidden' }];
    const { secret } = await app.rest.ok<{ secret: string }>(
      'POST /v1/auth/api-keys',
      { name: 'peer', grants },
      AUTHORIZED,
    );
    const as = { authorization: `Bearer ${secret}`, 'a2a-version': '1.0' };
    expect((await app.rest.call(`GET ${BASE}/v1/tasks/${task.id}`, undefined, as)).status).toBe(404);
    const sent = { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: 'hi' }] } };
    expect((await app.rest.call(`POST ${BASE}/v1/message:send`, sent, as)).status).toBe(403);
  });

  it('gives the data that a task asks for, and is refused when its chain is too deep', async () => {
    const client = await clientOf('JSONRPC');
    const asked = asTask(await client.sendMessage(message('!tool ask_user {"question":"Which colour?"}')));
    expect(asked.status).toMatchObject({ state: TaskState.TASK_STATE_INPUT_REQUIRED });
    expect(textOf(asked.status?.message?.parts)).toContain('Which colour?');
    const done = asTask(await client.sendMessage(message('blue', { taskId: asked.id })));
    expect(replyOf(done)).toContain('blue');
    const { message: deep } = message('hi');
    if (deep === undefined) throw new Error('there is no message');
    const metadata = { 'svc/lineage': Array.from({ length: 9 }, () => 'elsewhere') };
    const sent = client.sendMessage({ ...message('hi'), message: { ...deep, metadata } });
    await expect(sent).rejects.toThrow('depth_exceeded');
  });

  it('learns what is wrong with its request', async () => {
    const modern = { ...AUTHORIZED, 'a2a-version': '1.0' };
    const bad = { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message: { role: 'ROLE_USER', parts: [] } } };
    const refused = await app.rest.call(`POST ${BASE}`, bad, modern);
    expect(refused.body).toMatchObject({ error: { code: -32_602, message: 'message.messageId: is required' } });
    expect((await app.rest.call(`POST ${BASE}`, '{', modern)).body).toMatchObject({
      error: { code: expect.any(Number) },
    });
    expect((await app.rest.call(`POST ${BASE}/v1/message:send`, '{', modern)).status).toBe(400);
    expect((await app.rest.call(`POST ${BASE}/v1/nonsense`, {}, modern)).status).toBe(404);
    expect((await app.rest.call(`GET ${BASE}/v1/tasks/none`, undefined, modern)).status).toBe(404);
    const pushed = {
      ...(SendMessageRequest.toJSON(message('hi')) as object),
      configuration: { taskPushNotificationConfig: { url: 'https://peer.example' } },
    };
    expect((await app.rest.call(`POST ${BASE}/v1/message:send`, pushed, modern)).status).toBe(400);
  });
});
