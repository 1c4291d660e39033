import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendMessageRequest, type Task } from '@a2a-js/sdk';
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite({});
const BASE = '/a2a/default/clerk';
const SECRET = 'credential-of-the-receiver';

interface Received {
  readonly path: string;
  readonly answered: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: { readonly task?: Shown } & Shown;
}

interface Shown {
  readonly kind?: string;
  readonly id?: string;
  readonly status?: { readonly state: string };
  readonly artifacts?: readonly { readonly parts: readonly { readonly text?: string }[] }[];
}

/** What peers run to hear of their tasks; answers with `status`. */
const received: Received[] = [];
let status = 204;
let receiver: Server;
let news: () => void = () => undefined;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const headers = request.headers as Received['headers'];
      received.push({
        path: request.url ?? '',
        answered: status,
        headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
      response.writeHead(status, { location: 'http://127.0.0.1:1/elsewhere' }).end();
      news();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const capabilities = { streaming: true, pushNotifications: true };
  const spec = { a2a: { agentCard: { description: 'Counts.', capabilities } }, capabilities: { people: ['ask'] } };
  await app.rest.ok('POST /v1/ns/default/agents', { name: 'clerk', spec });
  const quiet = { a2a: { agentCard: { description: 'Says nothing.', capabilities: { streaming: true } } } };
  await app.rest.ok('POST /v1/ns/default/agents', { name: 'quiet', spec: quiet });
});
afterAll(() => receiver.close());

const hook = (path: string): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`;

/** The requests at a path, once so many were answered so. */
const requestsAt = async (path: string, count: number, answered = 204): Promise<readonly Received[]> => {
  for (;;) {
    const found = received.filter((each) => each.path === `/${path}`);
    if (found.filter((each) => each.answered === answered).length >= count) return found;
    await new Promise<void>((resolve) => {
      news = resolve;
    });
  }
};
const stateOf = ({ body }: Received): string => (body.task ?? body).status?.state ?? '';

const clientOf = (transport: 'JSONRPC' | 'HTTP+JSON', isLegacy: boolean) => {
  const options = isLegacy ? { legacyCompat: { enabled: true } } : {};
  const factory = new ClientFactory({
    transports: [transport === 'JSONRPC' ? new JsonRpcTransportFactory(options) : new RestTransportFactory(options)],
    cardResolver: new DefaultAgentCardResolver(options),
  });
  return factory.createFromUrl(`${app.url}${BASE}/`, '.well-known/agent-card.json');
};

let count = 0;
const sending = (text: string, configuration: object = {}, more: object = {}) => {
  count += 1;
  const message = { messageId: `message-${count}`, role: 'ROLE_USER', parts: [{ text }], ...more };
  return SendMessageRequest.fromJSON({ message, configuration });
};
const push = (path: string, more: object = {}) => ({ taskPushNotificationConfig: { url: hook(path), ...more } });
const config = (taskId: string, id: string, url: string) => ({
  tenant: '',
  id,
  taskId,
  url,
  token: `token-${id}`,
  authentication: { scheme: 'Bearer', credentials: SECRET },
});

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('where the states of a task are sent, over %s', (transport) => {
  it('is set, shown without its secrets, listed and deleted', async () => {
    const client = await clientOf(transport, false);
    const asked = (await client.sendMessage(sending('!tool ask_user {"question":"Which colour?"}'))) as Task;
    const path = `set-${transport}`;
    const set = await client.createTaskPushNotificationConfig(config(asked.id, 'mine', hook(path)));
    expect(set).toMatchObject({ id: 'mine', taskId: asked.id, url: hook(path), authentication: { scheme: 'Bearer' } });
    const got = await client.getTaskPushNotificationConfig({ tenant: '', taskId: asked.id, id: 'mine' });
    const listing = { tenant: '', taskId: asked.id, pageSize: 0, pageToken: '' };
    const { configs } = await client.listTaskPushNotificationConfig(listing);
    expect([configs.length, got]).toEqual([1, configs[0]]);
    expect(JSON.stringify([set, got, configs])).not.toMatch(new RegExp(`${SECRET}|token-mine`));
    const rows = JSON.stringify(await app.sql('SELECT * FROM task_pushes'));
    expect(rows).not.toMatch(new RegExp(`${SECRET}|token-mine`));
    await client.deleteTaskPushNotificationConfig({ tenant: '', taskId: asked.id, id: 'mine' });
    expect((await client.listTaskPushNotificationConfig(listing)).configs).toEqual([]);
    await expect(client.getTaskPushNotificationConfig({ tenant: '', taskId: asked.id, id: 'mine' })).rejects.toThrow();
    await client.sendMessage(sending('blue', {}, { taskId: asked.id }));
    expect(received.filter((each) => each.path === `/${path}`)).toEqual([]);
  });
});

describe('a peer that gave an address', () => {
  it('hears of each state once, in order, with its token and credentials', async () => {
    const client = await clientOf('JSONRPC', false);
    const authentication = { scheme: 'Bearer', credentials: SECRET };
    const first = sending(
      '!tool ask_user {"question":"Which colour?"}',
      push('order', { token: 't-1', authentication }),
    );
    const asked = (await client.sendMessage(first)) as Task;
    await client.sendMessage(first);
    await client.sendMessage(sending('blue', {}, { taskId: asked.id }));
    const all = await requestsAt('order', 4);
    expect(all.map(stateOf)).toEqual([
      'TASK_STATE_WORKING',
      'TASK_STATE_INPUT_REQUIRED',
      'TASK_STATE_WORKING',
      'TASK_STATE_COMPLETED',
    ]);
    expect(new Set(all.map(({ headers }) => headers['idempotency-key'])).size).toBe(4);
    for (const { headers, body } of all) {
      expect(headers).toMatchObject({
        authorization: `Bearer ${SECRET}`,
        'x-a2a-notification-token': 't-1',
        'content-type': 'application/a2a+json',
      });
      expect(body.task?.id).toBe(asked.id);
    }
    expect(JSON.stringify(all[1]?.body)).toContain('Which colour?');
    expect(all.map(({ body }) => body.task?.artifacts?.length ?? 0)).toEqual([0, 0, 0, 1]);
  });

  it('of version 0.3 gets tasks in the form of that version, over JSON-RPC and REST', async () => {
    const old = { kind: 'message', messageId: 'old', role: 'user', parts: [{ kind: 'text', text: 'old' }] };
    const configuration = { pushNotificationConfig: { url: hook('old'), token: 'old-token' }, blocking: true };
    const params = { message: old, configuration };
    const rpc = (method: string, more: object) =>
      app.rest.ok<{ result: { id: string } }>(`POST ${BASE}`, { jsonrpc: '2.0', id: 1, method, params: more });
    const { result } = await rpc('message/send', params);
    const [last] = (await requestsAt('old', 2)).slice(-1);
    expect(last?.body).toMatchObject({ kind: 'task', id: result.id, status: { state: 'completed' } });
    expect(last?.headers).toMatchObject({ 'x-a2a-notification-token': 'old-token' });
    const set = { taskId: result.id, pushNotificationConfig: { id: 'two', url: hook('two') } };
    await rpc('tasks/pushNotificationConfig/set', set);
    const listed = await rpc('tasks/pushNotificationConfig/list', { id: result.id });
    expect(listed.result).toMatchObject([
      { pushNotificationConfig: { url: hook('old') } },
      { pushNotificationConfig: { id: 'two', url: hook('two') } },
    ]);
    const rest = `${BASE}/v1/tasks/${result.id}/pushNotificationConfigs`;
    const { pushNotificationConfig } = set;
    expect((await app.rest.call(`POST ${rest}`, { pushNotificationConfig })).status).toBe(200);
    expect((await app.rest.call(`GET ${rest}/two`)).body).toMatchObject({ pushNotificationConfig });
    expect((await app.rest.call(`DELETE ${rest}/two`)).status).toBe(200);
    expect((await app.rest.call(`GET ${rest}`)).body).toHaveLength(1);
  });

  it('is refused with the field that is wrong, and by an agent that offers none', async () => {
    const client = await clientOf('JSONRPC', false);
    const { id } = (await client.sendMessage(sending('hi'))) as Task;
    const set = (url: string, name = 'x') => client.createTaskPushNotificationConfig(config(id, name, url));
    await expect(set('ftp://127.0.0.1/')).rejects.toThrow('url: must be an https or http address');
    await expect(set('http://10.0.0.7/hook')).rejects.toThrow('url: is not a public address');
    await expect(set(hook('x'), 'a b')).rejects.toThrow('id: must have');
    for (let index = 0; index < 10; index++) await set(hook('many'), `many-${index}`);
    await expect(set(hook('many'), 'one-more')).rejects.toThrow('at most 10 addresses');
    const quiet = { message: { messageId: 'q', role: 'ROLE_USER', parts: [{ text: 'hi' }] }, configuration: push('q') };
    const refused = await app.rest.call('POST /a2a/default/quiet/v1/message:send', quiet, { 'a2a-version': '1.0' });
    expect(JSON.stringify(refused.body)).toContain('PUSH_NOTIFICATION_NOT_SUPPORTED');
  });

  it('gets what it could not take when it can again, also from another process, and nothing of a deleted task', async () => {
    const client = await clientOf('JSONRPC', false);
    status = 503;
    const sent = (await client.sendMessage(sending('hi', push('again')))) as Task;
    await requestsAt('again', 1, 503);
    const gone = (await client.sendMessage(sending('hi', push('gone')))) as Task;
    await app.rest.ok(`DELETE /v1/ns/default/agents/clerk/sessions/${gone.contextId}`);
    expect(await app.sql(`SELECT id FROM task_pushes WHERE turn_id = '${gone.id}'`)).toEqual([]);
    status = 302;
    await app.restartLater(400_000);
    await requestsAt('again', 1, 302);
    status = 204;
    await app.restartLater(400_000);
    const all = await requestsAt('again', 2);
    const refused = all.slice(0, -2);
    expect(new Set(refused.map(stateOf))).toEqual(new Set(['TASK_STATE_WORKING']));
    expect(all.slice(-2).map(stateOf)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    expect(new Set(all.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
    expect(all.every(({ body }) => body.task?.id === sent.id)).toBe(true);
  });
});
