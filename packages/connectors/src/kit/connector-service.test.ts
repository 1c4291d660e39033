import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { API_KEY, FakeSvc } from '../testing/fake-svc.ts';
import { ConnectorService } from './connector-service.ts';
import { type ConnectorHost, type Delivery, DeliveryFailure, type InboundEvent, type Platform } from './contract.ts';
import { type ListeningConnector, listen } from './listen.ts';

const quiet = { info: () => undefined, warn: () => undefined, error: () => undefined };

const event = (fields: Partial<InboundEvent> = {}): InboundEvent => ({
  eventId: 'm1',
  kind: 'created',
  matchFields: { team: 'T1' },
  conversation: 'C1',
  thread: undefined,
  messageId: 'm1',
  conversationType: 'channel',
  sender: { id: 'U1', address: '', displayName: 'Ada', kind: 'user' },
  text: 'hello',
  attachments: [],
  timeMs: 1_700_000_000_000,
  labels: {},
  ...fields,
});

let svc: FakeSvc;
let connector: ListeningConnector;
let host: ConnectorHost;
let deliveries: Delivery[];
/** What the platform does with the next replies; taken when there is nothing left. */
let answers: (() => Promise<void>)[];
/** What the next webhook brings. */
let inbound: InboundEvent[];

const start = async (fetch = globalThis.fetch): Promise<void> => {
  const service = new ConnectorService({
    apiKey: API_KEY,
    log: quiet,
    fetch,
    connect: (given): Platform => {
      host = given;
      return {
        receive: async () => {
          await Promise.all(inbound.map((each) => host.ingest(each)));
          return new Response('ok');
        },
        deliver: async (delivery) => {
          deliveries.push(delivery);
          await answers.shift()?.();
        },
      };
    },
  });
  connector = await listen(service, {
    host: '127.0.0.1',
    port: 0,
    onStartFailed: (error) => {
      throw error;
    },
  });
};

const webhook = async (): Promise<Response> => await fetch(`${connector.url}/webhook`, { method: 'POST', body: '{}' });
const reply = (id: string, fields = {}) =>
  svc.deliver(connector.url, { deliveryId: id, externalConversationId: 'C1', text: 'hi', ...fields });

beforeEach(async () => {
  svc = new FakeSvc();
  deliveries = [];
  answers = [];
  inbound = [event()];
  await svc.listen();
  await start();
});

afterEach(async () => {
  await connector.stop();
  await svc.close();
});

describe('events', () => {
  it('acknowledges a webhook once svc has answered, and only then', async () => {
    await svc.register(connector.url);
    svc.failures.push({ status: 500 });
    expect((await webhook()).status).toBe(503);
    expect(svc.events).toEqual([]);
    expect((await webhook()).status).toBe(200);
    expect((await webhook()).status).toBe(200);
    expect(svc.outcomes).toEqual(['ACCEPTED', 'DUPLICATE']);
  });

  it('does not acknowledge a webhook when one of its events failed', async () => {
    await svc.register(connector.url);
    inbound = [event({ eventId: 'a' }), event({ eventId: 'b' })];
    svc.failures.push({ status: 503, headers: { 'retry-after': '7' } });
    const answer = await webhook();
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '7']);
    expect((await webhook()).status).toBe(200);
    expect(svc.events.map(({ eventId }) => eventId).toSorted()).toEqual(['a', 'b']);
  });

  it('says whether svc has accepted an event, now or before', async () => {
    await svc.register(connector.url);
    const created = event({ eventId: 'once' });
    expect([await host.ingest(created), await host.ingest(created)]).toEqual([true, true]);
    expect(await host.ingest(event({ eventId: 'edit', kind: 'updated' }))).toBe(false);
    expect(svc.outcomes).toEqual(['ACCEPTED', 'DUPLICATE', 'IGNORED']);
  });

  it('takes nothing before svc has registered, and after svc has replaced the secret', async () => {
    expect((await webhook()).status).toBe(503);
    await svc.register(connector.url);
    svc.rotate();
    expect((await webhook()).status).toBe(503);
    expect(await (await reply('d1')).json()).toMatchObject({ accepted: false, disposition: 'unregistered' });
    await svc.register(connector.url);
    expect((await webhook()).status).toBe(200);
    expect(svc.events).toHaveLength(1);
  });

  it('uploads files before the event and names those that svc would not take', async () => {
    await svc.register(connector.url);
    const file = (name: string, size: number | undefined, bytes = 'x') => ({
      filename: name,
      mediaType: 'text/plain',
      sizeBytes: size,
      read: async () => Buffer.from(bytes),
    });
    inbound = [
      event({ attachments: [file('a.txt', 5, 'hello'), file('huge.bin', 26 * 1024 * 1024), file('b.txt', undefined)] }),
    ];
    await webhook();
    const [taken] = svc.events;
    expect(taken?.attachments?.map(({ filename }) => filename)).toEqual(['a.txt', 'b.txt']);
    expect(svc.uploads.get(taken?.attachments?.[0]?.key ?? '')?.toString()).toBe('hello');
    expect(taken?.text).toBe('hello\n[attachment left out: huge.bin]');
  });

  it('does without a file that cannot be read, and waits for one that may be readable later', async () => {
    await svc.register(connector.url);
    const reads: (() => Promise<Buffer | undefined>)[] = [
      async () => undefined,
      () => Promise.reject(new Error('503')),
    ];
    const attachments = reads.map((read, index) => ({
      filename: `${index}.txt`,
      mediaType: 'text/plain',
      sizeBytes: undefined,
      read,
    }));
    inbound = [event({ attachments })];
    expect((await webhook()).status).toBe(503);
    reads[1] = async () => Buffer.from('x');
    inbound = [
      event({ attachments: attachments.map((file, index) => ({ ...file, read: async () => reads[index]?.() })) }),
    ];
    expect((await webhook()).status).toBe(200);
    expect(svc.events[0]?.attachments?.map(({ filename }) => filename)).toEqual(['1.txt']);
    expect(svc.events[0]?.text).toBe('hello\n[attachment left out: 0.txt]');
  });

  it('sends everything of one conversation in order', async () => {
    await svc.register(connector.url);
    const slow = { filename: 'a', mediaType: 'text/plain', sizeBytes: 1, read: async () => Buffer.from('x') };
    inbound = [event({ eventId: '1', attachments: [slow] }), event({ eventId: '2' }), event({ eventId: '3' })];
    await webhook();
    expect(svc.events.map(({ eventId }) => eventId)).toEqual(['1', '2', '3']);
  });

  it('refuses what a conversation brings while a thousand of its events wait', async () => {
    await svc.register(connector.url);
    let release: () => void = () => undefined;
    const held = new Promise<Buffer>((resolve) => {
      release = () => resolve(Buffer.from('x'));
    });
    const slow = { filename: 'a', mediaType: 'text/plain', sizeBytes: 1, read: () => held };
    const first = host.ingest(event({ eventId: '1', attachments: [slow] }));
    const copies = Array.from({ length: 999 }, () => host.ingest(event({ eventId: '2' })));
    const settled = Promise.allSettled([first, ...copies]);
    await expect(host.ingest(event({ eventId: '3' }))).rejects.toThrow('1000 events of this conversation wait');
    svc.rotate();
    release();
    await settled;
    await svc.register(connector.url);
    await host.ingest(event({ eventId: '3' }));
    expect(svc.events.map(({ eventId }) => eventId)).toEqual(['3']);
  });

  it('keeps within the limits of svc', async () => {
    await svc.register(connector.url);
    const sender = { id: 'U1', address: '', displayName: `${'d'.repeat(511)}😀`, kind: 'user' } as const;
    const file = {
      filename: `${'f'.repeat(300)}.txt`,
      mediaType: 'text/€',
      sizeBytes: 1,
      read: async () => Buffer.from('x'),
    };
    inbound = [
      event({
        eventId: 'x'.repeat(300),
        text: 'é'.repeat(200_000),
        labels: { a: 'b'.repeat(600) },
        sender,
        attachments: [file],
      }),
    ];
    expect((await webhook()).status).toBe(200);
    const [taken] = svc.events;
    expect(taken?.sender['displayName']).toBe(`${'d'.repeat(511)}\uFFFD`);
    expect(taken?.attachments?.[0]).toMatchObject({
      filename: expect.stringMatching(/^f{251}\.txt$/),
      mediaType: 'application/octet-stream',
    });
    expect(taken?.eventId).toMatch(/^[0-9a-f]{64}$/);
    expect(Buffer.byteLength(taken?.text ?? '')).toBeLessThanOrEqual(256 * 1024);
    expect(taken?.text).toMatch(/é\n\[cut\]$/);
    expect(taken?.labels?.['a']).toHaveLength(512);
  });
});

describe('requests', () => {
  const raw = (method: string, path: string, body?: Buffer): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(connector.url);
      const sent = request({ hostname, port, method, path }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      sent.once('error', reject);
      sent.end(body);
    });

  it.each([
    ['TRACE', '/webhook'],
    ['GET', '//'],
    ['GET', 'http://user:password@host/'],
  ])('that are not valid get an answer and do not end the process: %s %s', async (method, path) => {
    expect(await raw(method, path)).toBe(400);
    expect((await fetch(`${connector.url}/healthz`)).status).toBe(200);
  });

  it('with a body that is too large get an answer', async () => {
    expect(await raw('POST', '/webhook', Buffer.alloc(10 * 1024 * 1024 + 1))).toBe(413);
  });

  it('are taken with a key only, which therefore cannot be empty', () => {
    const connect = () => ({ deliver: async () => undefined });
    expect(() => new ConnectorService({ apiKey: ' ', log: quiet, connect })).toThrow('apiKey is empty');
  });
});

describe('registration', () => {
  it('answers with the id and refuses what it cannot call back', async () => {
    expect(await (await svc.register(connector.url)).json()).toEqual({
      registrationId: 'Namespace/default/ConnectorClass/chat',
    });
    for (const [field, value] of Object.entries({
      registrationId: ' ',
      callbackAuthKind: 'basic',
      callbackAuthKey: '',
      callbackBaseUrl: 'file:///etc',
    })) {
      const answer = await svc.register(connector.url, { [field]: value });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining(field)]);
    }
  });

  it('refuses calls without the API key, other protocols and bodies that are not JSON', async () => {
    const send = (headers: Record<string, string>, body: string) =>
      fetch(`${connector.url}/v1/deliveries`, { method: 'POST', headers, body });
    const authorization = `Bearer ${API_KEY}`;
    expect((await send({}, '{}')).status).toBe(401);
    expect((await send({ authorization: 'Bearer wrong' }, '{}')).status).toBe(401);
    expect((await send({ authorization }, '{')).status).toBe(400);
    expect((await send({ authorization }, '{"text":5}')).status).toBe(400);
    expect((await send({ authorization, 'svc-connector-protocol': 'v2' }, '{}')).status).toBe(400);
    expect((await send({ authorization }, '{}')).status).toBe(400);
    expect((await fetch(`${connector.url}/v1/deliveries`)).status).toBe(405);
    expect((await fetch(`${connector.url}/v1/other`)).status).toBe(404);
    expect((await fetch(`${connector.url}/healthz`)).status).toBe(200);
  });

  it('refuses a seventeenth registration', async () => {
    for (let count = 1; count <= 16; count += 1) await svc.register(connector.url, { registrationId: `r${count}` });
    expect((await svc.register(connector.url, { registrationId: 'r17' })).status).toBe(429);
    expect((await svc.register(connector.url, { registrationId: 'r16' })).status).toBe(200);
  });
});

describe('the state of the platform', () => {
  it('is reported again to a registration that an earlier report did not reach', async () => {
    await svc.register(connector.url);
    await expect.poll(() => svc.statuses.at(-1)?.status).toBe('connected');
    svc.statusFailures = 1;
    host.reportStatus('degraded', 'no mail');
    await expect.poll(() => svc.statusFailures).toBe(0);
    expect(svc.statuses.map(({ status }) => status)).toEqual(['connected']);
    await expect
      .poll(() => {
        host.reportStatus('degraded', 'no mail');
        return svc.statuses.map(({ status }) => status);
      })
      .toEqual(['connected', 'degraded']);
  });

  it('arrives in the order of its changes, though an older report is slower', async () => {
    await connector.stop();
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isSending = false;
    await start(async (address, init) => {
      if (String(init?.body).includes('degraded')) {
        isSending = true;
        await held;
      }
      return await fetch(address, init);
    });
    await svc.register(connector.url);
    await expect.poll(() => svc.statuses.length).toBe(1);
    host.reportStatus('degraded', 'no mail');
    await expect.poll(() => isSending).toBe(true);
    host.reportStatus('connected', '');
    // Time enough for a report that does not wait for the one before it.
    for (let count = 0; count < 5; count += 1) await fetch(`${connector.url}/healthz`);
    release();
    await expect.poll(() => svc.statuses.length).toBe(3);
    expect(svc.statuses.map(({ status }) => status)).toEqual(['connected', 'degraded', 'connected']);
  });
});

describe('deliveries', () => {
  beforeEach(async () => {
    await svc.register(connector.url);
  });

  it('hands on the options of a question, and none where the label is not a list of texts', async () => {
    const labels = ['["Allow once","Deny"]', undefined, 'no JSON', '"Deny"', '["Deny",1]'];
    for (const [index, label] of labels.entries())
      await reply(`o${index}`, { labels: label === undefined ? {} : { 'svc.requestOptions': label } });
    expect(deliveries.map(({ options }) => options)).toEqual([['Allow once', 'Deny'], [], [], [], []]);
  });

  it('writes once for attempts that overlap and for later ones', async () => {
    let take: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => {
      take = resolve;
    });
    answers.push(() => taken);
    const first = reply('d1');
    const second = reply('d1');
    await expect.poll(() => deliveries.length).toBe(1);
    take();
    expect(await (await first).json()).toEqual({ accepted: true, disposition: 'accepted' });
    expect(await (await second).json()).toMatchObject({ accepted: true });
    expect(await (await reply('d1')).json()).toEqual({ accepted: true, disposition: 'duplicate' });
    expect(deliveries).toHaveLength(1);
  });

  it('continues with the part that the platform has not taken', async () => {
    answers.push(async () => {
      deliveries.at(-1)?.onPartSent();
      throw new Error('connection lost');
    });
    expect((await reply('d1')).status).toBe(503);
    expect((await reply('d1')).status).toBe(200);
    expect(deliveries.map(({ partsSent }) => partsSent)).toEqual([0, 1]);
  });

  it('writes a reply again that was edited under its id, and from its beginning', async () => {
    answers.push(async () => {
      deliveries.at(-1)?.onPartSent();
      throw new Error('connection lost');
    });
    expect((await reply('d1', { text: 'frist' })).status).toBe(503);
    expect(await (await reply('d1', { text: 'first' })).json()).toMatchObject({ disposition: 'accepted' });
    expect(await (await reply('d1', { text: 'second' })).json()).toMatchObject({ disposition: 'accepted' });
    expect(await (await reply('d1', { text: 'second' })).json()).toMatchObject({ disposition: 'duplicate' });
    expect(deliveries.map(({ text, partsSent }) => [text, partsSent])).toEqual([
      ['frist', 0],
      ['first', 0],
      ['second', 0],
    ]);
  });

  it('says when to try again, what is refused for good, and that a credential was revoked', async () => {
    const fail = (failure: DeliveryFailure) => answers.push(() => Promise.reject(failure));
    fail(new DeliveryFailure('retry', 'too many messages', { retryAfterSeconds: 30 }));
    const limited = await reply('d1');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    fail(new DeliveryFailure('rejected', 'no such channel'));
    expect(await (await reply('d2')).json()).toEqual({
      accepted: false,
      disposition: 'rejected',
      error: 'no such channel',
    });
    fail(new DeliveryFailure('retry', 'token revoked', { isCredentialRefused: true }));
    expect((await reply('d3')).status).toBe(503);
    await expect.poll(() => svc.statuses.at(-1)?.status).toBe('revoked');
    expect((await reply('d3')).status).toBe(200);
    await expect.poll(() => svc.statuses.at(-1)?.status).toBe('connected');
  });

  it('brings the files of a delivery, and refuses one that was changed on the way', async () => {
    const file = svc.offer('plan.pdf', 'application/pdf', Buffer.from('%PDF'));
    expect((await reply('d1', { attachments: [file] })).status).toBe(200);
    expect(deliveries[0]?.files).toEqual([
      { filename: 'plan.pdf', mediaType: 'application/pdf', bytes: Buffer.from('%PDF') },
    ]);
    expect((await reply('d2', { attachments: [{ ...file, sha256: '0'.repeat(64) }] })).status).toBe(503);
    expect(await (await reply('d3', { attachments: [{ ...file, metadata: {} }] })).json()).toMatchObject({
      disposition: 'rejected',
    });
  });

  it('says that it shows no typing when the platform cannot', async () => {
    expect((await svc.call(connector.url, '/v1/activities', { kind: 'typing', phase: 'start' })).status).toBe(501);
  });
});

describe('stopping', () => {
  it('lets a webhook that is being processed end first', async () => {
    await svc.register(connector.url);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isReading = false;
    const read = async () => {
      isReading = true;
      await held;
      return Buffer.from('x');
    };
    inbound = [event({ attachments: [{ filename: 'a', mediaType: 'text/plain', sizeBytes: 1, read }] })];
    const answer = webhook();
    await expect.poll(() => isReading).toBe(true);
    const stopped = connector.stop();
    release();
    expect((await answer).status).toBe(200);
    await stopped;
    expect(svc.events).toHaveLength(1);
    await start();
  });
});
