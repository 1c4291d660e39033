import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../testing/bench.ts';
import type { PlatformCall } from '../testing/fake-platform.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { discord, keepListening } from './discord.ts';

const keys = generateKeyPairSync('ed25519');
const publicKey = keys.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
const stranger = generateKeyPairSync('ed25519');

const restApi = ({ path, method }: PlatformCall) => {
  if (path.endsWith('/threads') && method === 'POST')
    return { status: 201, json: { id: '600', name: 'Thread', parent_id: '200' } };
  if (path === '/channels/500') return { json: { id: '500', type: 11, guild_id: '100', parent_id: '200' } };
  if (/\/channels\/\d+$/.test(path)) return { json: { id: '200', type: 0, guild_id: '100' } };
  return {
    json: {
      id: '900',
      channel_id: '200',
      content: 'x',
      author: { id: '99', username: 'bot', bot: true },
      timestamp: '2026-01-02T03:04:05Z',
    },
  };
};

const signed = (payload: unknown, key = keys.privateKey): RequestInit => {
  const body = JSON.stringify(payload);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = sign(null, Buffer.from(timestamp + body), key).toString('hex');
  return {
    headers: {
      'content-type': 'application/json',
      'x-signature-ed25519': signature,
      'x-signature-timestamp': timestamp,
    },
    body,
  };
};
/** An event of the gateway as its listener forwards it. */
const forwarded = (data: Readonly<Record<string, unknown>>, token = 'bot-token'): RequestInit => ({
  headers: { 'content-type': 'application/json', 'x-discord-gateway-token': token },
  body: JSON.stringify({ type: 'GATEWAY_MESSAGE_CREATE', timestamp: Date.now(), data }),
});
const message = (fields: Readonly<Record<string, unknown>> = {}) => ({
  id: '300',
  channel_id: '200',
  guild_id: '100',
  content: 'hello',
  timestamp: '2026-01-02T03:04:05Z',
  edited_timestamp: null,
  author: { id: '7', username: 'ada', global_name: 'Ada Lovelace', bot: false },
  mentions: [],
  mention_roles: [],
  attachments: [],
  embeds: [],
  type: 0,
  channel_type: 0,
  ...fields,
});

/** A press (3) or a command (2) of a person in a channel. */
const interaction = (id: string, type: number) => ({
  id,
  type,
  application_id: '99',
  token: 't',
  guild_id: '100',
  channel_id: '200',
  channel: { id: '200', type: 0 },
  member: { user: { id: '7', username: 'ada', global_name: 'Ada Lovelace' } },
});

const open = () =>
  openBench({
    connector: discord,
    settings: (url) => ({ botToken: 'bot-token', publicKey, applicationId: '99', gateway: 'off', apiUrl: url }),
    answer: restApi,
  });

webhookSuite({
  open,
  message: ({ id, text }) => forwarded(message({ id, content: text })),
  refused: {
    'a wrong signature': () => signed({ type: 1 }, stranger.privateKey),
    'another body under a right signature': () => ({ ...signed({ type: 1 }), body: '{"type":2}' }),
    'a wrong token of the gateway': () => forwarded(message(), 'wrong'),
    'no signature': () => ({ body: '{"type":1}' }),
  },
  reply: { externalConversationId: '100/200', text: 'hi' },
  writing: /\/channels\/200\/messages/,
  limited: {
    status: 429,
    headers: { 'retry-after': '7' },
    json: { message: 'You are being rate limited.', retry_after: 7, global: false },
  },
  unauthorized: { status: 401, json: { message: '401: Unauthorized', code: 0 } },
});

describe('the connection to the gateway', () => {
  it('is made again when it fails, less and less often, and at once after one that has lasted', async () => {
    const stopping = new AbortController();
    const waits: number[] = [];
    let now = 0;
    let attempts = 0;
    const startGatewayListener = async ({ waitUntil }: { waitUntil?: (task: Promise<unknown>) => void }) => {
      attempts += 1;
      if (attempts === 1) throw new Error('no network');
      if (attempts === 2) waitUntil?.(Promise.reject(new Error('token refused')));
      if (attempts === 4) now += 86_400_000;
      return new Response();
    };
    const wait = async (ms: number) => {
      waits.push(ms);
      if (waits.length === 5) stopping.abort();
    };
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    await keepListening({ startGatewayListener }, { signal: stopping.signal, log, wait }, () => now);
    expect(waits).toEqual([5_000, 10_000, 20_000, 0, 5_000]);
  });
});

describe('Discord', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('answers the check of its address', async () => {
    expect(await (await bench.webhook(signed({ type: 1 }))).json()).toEqual({ type: 1 });
  });

  it('sends messages of channels, threads and direct messages with who wrote them', async () => {
    await bench.webhook(forwarded(message({ id: '301' })));
    expect(bench.svc.events.at(-1)).toMatchObject({
      matchFields: { guild: '100', channel: '200' },
      externalConversationId: '100/200',
      externalMessageId: '301',
      conversationType: 'channel',
      sender: { externalId: '7', displayName: 'Ada Lovelace', kind: 'user' },
      eventTimeMs: String(Date.parse('2026-01-02T03:04:05Z')),
    });
    await bench.webhook(
      forwarded(message({ id: '302', channel_id: '500', channel_type: 11, thread: { id: '500', parent_id: '200' } })),
    );
    expect(bench.svc.events.at(-1)).toMatchObject({
      externalConversationId: '100/200',
      externalThreadId: '500',
      conversationType: 'channel_thread',
    });
    await bench.webhook(forwarded(message({ id: '303', guild_id: undefined, channel_id: '700', channel_type: 1 })));
    expect(bench.svc.events.at(-1)).toMatchObject({ externalConversationId: '@me/700', conversationType: 'dm' });
  });

  it('shows the options of a question as buttons', async () => {
    const labels = { 'svc.requestOptions': JSON.stringify(['Allow once', 'Deny']) };
    await bench.deliver({ externalConversationId: '100/200', labels, deliveryId: 'q-1', text: 'May it run?' });
    expect(JSON.parse(bench.platform.calls.at(-1)?.body.toString() ?? '')).toMatchObject({
      embeds: [{ description: 'May it run?' }],
      components: [
        {
          type: 1,
          components: [
            { type: 2, label: 'Allow once', custom_id: 'svc:q-1:1' },
            { type: 2, label: 'Deny', custom_id: 'svc:q-1:2' },
          ],
        },
      ],
    });
  });

  it('sends a press as an answer to its question, acknowledged once svc has it', async () => {
    const press = {
      ...interaction('800', 3),
      message: { id: '900' },
      data: { component_type: 2, custom_id: 'svc:q-1:2' },
    };
    bench.svc.failures.push({ status: 500 });
    expect((await bench.webhook(signed(press))).status).toBe(503);
    const answer = await bench.webhook(signed(press));
    expect([answer.status, await answer.json()]).toEqual([200, { type: 6 }]);
    expect((await bench.webhook(signed(press))).status).toBe(200);
    expect(bench.svc.outcomes.slice(-2)).toEqual(['ACCEPTED', 'DUPLICATE']);
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: 'discord:100/200:press:800',
      matchFields: { guild: '100', channel: '200' },
      externalConversationId: '100/200',
      sender: { externalId: '7', displayName: 'Ada Lovelace', kind: 'user' },
      text: '2',
      labels: { 'svc.delivery': 'q-1' },
    });
    expect((await bench.webhook(signed(press, stranger.privateKey))).status).toBe(401);
  });

  it('sends a command as a message, and answers it with its own text', async () => {
    const data = { id: '1', name: 'ask', type: 1, options: [{ name: 'text', type: 3, value: 'what @everyone?' }] };
    const answer = await bench.webhook(signed({ ...interaction('801', 2), data }));
    expect(await answer.json()).toEqual({
      type: 4,
      data: { content: '/ask what @everyone?', allowed_mentions: { parse: [] } },
    });
    expect(bench.svc.events.at(-1)).toMatchObject({
      eventId: 'discord:100/200:command:801',
      conversationType: 'channel',
      sender: { externalId: '7' },
      text: '/ask what @everyone?',
      labels: { mention: 'true' },
    });
  });

  it('writes into threads', async () => {
    const reply = { externalConversationId: '100/200', externalThreadId: '500', text: 'done' };
    expect(await (await bench.deliver({ ...reply, deliveryId: 't1' })).json()).toMatchObject({ accepted: true });
    const call = bench.platform.calls.at(-1);
    expect([call?.path, call?.headers['authorization']]).toEqual(['/channels/500/messages', 'Bot bot-token']);
  });

  it('writes into the channel where the message has no thread yet', async () => {
    const before = bench.platform.calls.length;
    const place = { externalConversationId: '100/200', externalThreadId: '301', replyToExternalMessageId: '301' };
    const unknown = { status: 404, json: { message: 'Unknown Channel', code: 10_003 } };
    bench.platform.faults.push({ path: /channels\/301$/, answer: unknown });
    expect(await (await bench.deliver({ ...place, deliveryId: 't2', text: 'done' })).json()).toMatchObject({
      accepted: true,
    });
    expect(bench.platform.calls.slice(before).map(({ path }) => path)).toEqual([
      '/channels/301',
      '/channels/200/messages',
    ]);
    bench.platform.faults.push({ path: /channels\/999\/messages/, answer: unknown });
    const gone = { externalConversationId: '100/999', deliveryId: 't3', text: 'done' };
    expect(await (await bench.deliver(gone)).json()).toMatchObject({ disposition: 'rejected' });
  });
});
