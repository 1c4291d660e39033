import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Settings } from '../settings.ts';
import { type Bench, openBench } from '../testing/bench.ts';
import { webhookSuite } from './conformance/webhook-suite.ts';
import { sign } from './signature.ts';
import { webhook } from './webhook.ts';

const SECRET = 'a-secret-of-some-length';
const now = () => Math.floor(Date.now() / 1_000);

const signed = (message: unknown, options: { secret?: string; time?: number } = {}): RequestInit => {
  const timestamp = String(options.time ?? now());
  const body = typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message);
  return {
    headers: {
      'svc-webhook-timestamp': timestamp,
      'svc-webhook-signature': sign(options.secret ?? SECRET, timestamp, body),
    },
    body,
  };
};
const message = { id: '1', conversation: 'shop', sender: { id: 'ada', name: 'Ada' }, text: 'hello' };

const open = () =>
  openBench({
    connector: webhook,
    settings: (url) => ({ secret: SECRET, deliverUrl: `${url}/replies` }),
    answer: () => ({ json: {} }),
  });

webhookSuite({
  open,
  message: ({ id, text }) => signed({ ...message, id, text }),
  refused: {
    'a wrong signature': () => signed(message, { secret: 'wrong' }),
    'a signature of ten minutes ago': () => signed(message, { time: now() - 600 }),
    'no signature': () => ({ body: JSON.stringify(message) }),
    'a text that is not JSON': () => signed('{'),
  },
  reply: { externalConversationId: 'shop', text: 'hi' },
  writing: /^\/replies$/,
  limited: { status: 429, headers: { 'retry-after': '7' } },
  unauthorized: { status: 401 },
});

describe('the signed webhook', () => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await open();
  });
  afterAll(async () => {
    await bench.close();
  });

  it('carries threads, files and times both ways', async () => {
    const attachments = [
      { filename: 'a.txt', mediaType: 'text/plain', contentBase64: Buffer.from('plan').toString('base64') },
    ];
    await bench.webhook(signed({ ...message, thread: 't', source: 'crm', time: '2026-01-02T03:04:05Z', attachments }));
    const taken = bench.svc.events.at(-1);
    expect(taken).toMatchObject({
      matchFields: { source: 'crm', conversation: 'shop' },
      externalThreadId: 't',
      eventTimeMs: String(Date.parse('2026-01-02T03:04:05Z')),
      sender: { externalId: 'ada', displayName: 'Ada' },
    });
    expect(bench.svc.uploads.get(taken?.attachments?.[0]?.key ?? '')?.toString()).toBe('plan');
    const file = bench.svc.offer('b.txt', 'text/plain', Buffer.from('done'));
    await bench.deliver({
      deliveryId: 'd1',
      externalConversationId: 'shop',
      externalThreadId: 't',
      replyToExternalMessageId: '1',
      text: 'see',
      attachments: [file],
    });
    const call = bench.platform.calls.at(-1);
    expect(call?.headers).toMatchObject({ 'idempotency-key': 'd1' });
    expect(call?.headers['svc-webhook-signature']).toBe(
      sign(SECRET, String(call?.headers['svc-webhook-timestamp']), call?.body.toString() ?? ''),
    );
    expect(JSON.parse(call?.body.toString() ?? '')).toMatchObject({
      id: 'd1',
      thread: 't',
      replyTo: '1',
      attachments: [{ filename: 'b.txt', contentBase64: Buffer.from('done').toString('base64') }],
    });
  });

  it.each([
    ['id', { ...message, id: '' }],
    ['conversation', { ...message, conversation: 5 }],
    ['sender', { ...message, sender: 'ada' }],
    ['time', { ...message, time: 'yesterday' }],
    ['attachments', { ...message, attachments: {} }],
    ['source', { ...message, source: 'x'.repeat(64) }],
    ['conversation', { ...message, conversation: 'x'.repeat(513) }],
    ['thread', { ...message, thread: 'x'.repeat(513) }],
  ])('names a wrong %s', async (field, body) => {
    const answer = await bench.webhook(signed(body));
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringContaining(field) }]);
  });

  it('checks the signature over the bytes as they came', async () => {
    const withMark = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(JSON.stringify(message))]);
    expect((await bench.webhook(signed(withMark))).status).toBe(200);
    const answer = await bench.webhook(signed(Buffer.from([0x7b, 0xff])));
    expect([answer.status, await answer.json()]).toEqual([400, { error: expect.stringContaining('UTF-8') }]);
  });

  it('tells messages apart whose source and id only together are the same text', async () => {
    const before = bench.svc.events.length;
    await bench.webhook(signed({ ...message, source: 'a:b', id: 'c' }));
    await bench.webhook(signed({ ...message, source: 'a', id: 'b:c' }));
    expect(bench.svc.events.slice(before)).toHaveLength(2);
  });

  it('takes 409 for a reply that the receiver has already, and other refusals as final', async () => {
    const deliver = (id: string) => bench.deliver({ deliveryId: id, externalConversationId: 'shop', text: 'x' });
    bench.platform.faults.push(
      { path: /replies/, answer: { status: 409 } },
      { path: /replies/, answer: { status: 422 } },
    );
    expect(await (await deliver('e1')).json()).toMatchObject({ accepted: true });
    expect(await (await deliver('e2')).json()).toMatchObject({ disposition: 'rejected' });
    bench.platform.faults.push({ path: /replies/, answer: { status: 500 } });
    expect((await deliver('e3')).status).toBe(503);
  });

  it.each([
    ['secret', { secret: 'short', deliverUrl: 'http://127.0.0.1' }],
    ['deliverUrl', { secret: SECRET, deliverUrl: 'ftp://127.0.0.1' }],
  ])('refuses a %s of no use', async (field, values) => {
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const open = async () => webhook.open(new Settings(webhook.settings, values), { log });
    await expect(open()).rejects.toThrow(field);
  });
});
