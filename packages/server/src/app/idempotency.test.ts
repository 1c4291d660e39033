import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { GatewayService } from '@svc/api/gateway';
import { beforeAll, describe, expect, it } from 'vitest';
import { AppUnderTest } from './testing/index.ts';

const app = AppUnderTest.ofSuite();
const { rest } = app;
let transports: Readonly<Record<string, Transport>>;
beforeAll(async () => {
  await rest.ok('POST /v1/ns/default/agents', { name: 'helper' });
  const options = { baseUrl: app.url, httpVersion: '1.1' as const };
  transports = {
    Connect: createConnectTransport(options),
    'Connect as proto': createConnectTransport({ ...options, useBinaryFormat: true }),
    gRPC: createGrpcTransport({ baseUrl: app.url }),
    'gRPC-web': createGrpcWebTransport(options),
  };
});

const OTHERS = ['Connect', 'Connect as proto', 'gRPC', 'gRPC-web'] as const;

/** The same call through a client library; the answer and whether it says that it is a replay. */
const through = async (name: string, key: string, call: (client: Client, options: object) => Promise<object>) => {
  let replayed: string | null = null;
  const headers = { 'idempotency-key': key };
  const onHeader = (received: Headers): void => {
    replayed = received.get('idempotency-replayed');
  };
  const transport = transports[name];
  if (transport === undefined) throw new Error(name);
  const answer = await call(createClient(GatewayService, transport), { headers, onHeader });
  return { answer, replayed };
};
type Client = ReturnType<typeof createClient<typeof GatewayService>>;

describe('a repeated call with its key, after REST over another transport (API-1.7)', () => {
  it.each(OTHERS)('SendMessage by %s has the stored answer and no second effect', async (name) => {
    const session = await rest.session('helper');
    const key = { 'idempotency-key': `send ${name}` };
    const first = await rest.call(`POST ${session}/message`, { message: 'once', waitSeconds: 30 }, key);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const request = { ns: 'default', agent: 'helper', sessionId: session.split('/').at(-1) ?? '', message: 'once' };
    const { answer, replayed } = await through(name, `send ${name}`, (client, options) =>
      client.sendMessage(request, options),
    );
    expect(replayed).toBe('true');
    const { messageId, turnId, replyMessageId } = first.body as Record<string, string>;
    expect(answer).toMatchObject({ messageId, turnId, replyMessageId });
    const { items } = await rest.ok<{ items: unknown[] }>(`GET ${session}/messages`);
    expect(items).toHaveLength(2);
    await expect(
      through(name, `send ${name}`, (client, options) => client.sendMessage({ ...request, message: 'twice' }, options)),
    ).rejects.toThrow(/idempotency|other request/i);
  });

  it.each(OTHERS)('CreateSession by %s makes one session', async (name) => {
    const key = { 'idempotency-key': `create ${name}` };
    const first = await rest.ok<{ sessionId: string }>(
      'POST /v1/ns/default/agents/helper/sessions',
      { labels: { b: '2', a: '1' } },
      key,
    );
    const request = { ns: 'default', agent: 'helper', labels: { a: '1', b: '2' } };
    const { answer, replayed } = await through(name, `create ${name}`, (client, options) =>
      client.createSession(request, options),
    );
    expect([replayed, answer]).toMatchObject(['true', { sessionId: first.sessionId }]);
  });

  it.each(OTHERS)('AppendSessionMessage by %s stores one message', async (name) => {
    const session = await rest.session('helper');
    const body = { message: { parts: [{ type: 'text', text: 'noted' }] } };
    const path = `POST ${session}/messages:append`;
    const first = await rest.ok<{ message: { id: string } }>(path, body, { 'idempotency-key': `append ${name}` });
    const request = {
      ns: 'default',
      agent: 'helper',
      sessionId: session.split('/').at(-1) ?? '',
      message: { parts: [{ partType: 1, content: 'noted' }] },
    };
    const { answer, replayed } = await through(name, `append ${name}`, (client, options) =>
      client.appendSessionMessage(request, options),
    );
    expect([replayed, answer]).toMatchObject(['true', { message: { id: first.message.id } }]);
  });
});

describe('an idempotency key (API-1.7)', () => {
  const path = 'POST /v1/ns/default/agents/helper/sessions';

  it('is refused when it is too long or not printable', async () => {
    expect(await rest.outcome(path, {}, { 'idempotency-key': 'x'.repeat(255) })).toBe('200');
    expect(await rest.outcome(path, {}, { 'idempotency-key': 'x'.repeat(256) })).toMatch(/^400/);
    expect(await rest.outcome(path, {}, { 'idempotency-key': 'é' })).toMatch(/^400/);
  });

  it('belongs to one operation, and is ignored by those that take none', async () => {
    const key = { 'idempotency-key': 'shared' };
    const session = await rest.session('helper');
    expect(await rest.outcome(path, {}, key)).toBe('200');
    expect(await rest.outcome(`POST ${session}/message`, { message: 'x' }, key)).toBe('200');
    expect(await rest.outcome('POST /v1/ns/default/agents', { name: 'keyed' }, key)).toBe('200');
    expect(await rest.outcome('POST /v1/ns/default/agents', { name: 'keyed' }, key)).toBe('409 AGENT_EXISTS');
    expect(await rest.outcome('GET /v1/ns/default/agents', undefined, { 'idempotency-key': 'x'.repeat(256) })).toBe(
      '200',
    );
  });

  it('keeps nothing of a refused call', async () => {
    const key = { 'idempotency-key': 'refused first' };
    expect(await rest.outcome('POST /v1/ns/default/agents/late/sessions', {}, key)).toBe('404 AGENT_NOT_FOUND');
    await rest.ok('POST /v1/ns/default/agents', { name: 'late' });
    expect(await rest.outcome('POST /v1/ns/default/agents/late/sessions', {}, key)).toBe('200');
  });

  it('of another request is refused', async () => {
    const key = { 'idempotency-key': 'other request' };
    await rest.ok(path, { labels: { a: '1' } }, key);
    expect(await rest.outcome(path, { labels: { a: '2' } }, key)).toBe('400 IDEMPOTENCY_MISMATCH');
  });
});
