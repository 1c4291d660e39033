import { connect } from 'node:http2';
import { networkInterfaces } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import type { CallContext } from '../../auth/contract.ts';
import { Fault } from '../../base/index.ts';
import type { HttpRoute } from '../../operations/index.ts';
import type { FinishedCall, TransportServer } from '../contract.ts';
import { createTransport } from '../create-transport.ts';
import { testConfig, testParts } from '../testing/transport-parts.ts';

let server: TransportServer | undefined;
const seen: FinishedCall[] = [];
const contexts: CallContext[] = [];

const route: HttpRoute = {
  method: 'GET',
  pattern: '/v1/here/{ns}',
  authenticated: false,
  loopbackOnly: true,
  handle: async (exchange, _params, context) => {
    contexts.push(context);
    exchange.answer(200, {}, 'here');
  },
};

const start = async (host = '127.0.0.1'): Promise<string> => {
  const onCall = (call: FinishedCall): void => void seen.push(call);
  const config = { ...testConfig, host, loopbackOnly: false };
  server = await createTransport({ ...testParts({ routes: [route], onCall }), config });
  return `http://127.0.0.1:${server.port}/v1/here/n`;
};

afterEach(async () => {
  await server?.close();
  seen.length = 0;
  contexts.length = 0;
});

const overHttp2 = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const session = connect(url);
    const stream = session.request({ ':path': new URL(url).pathname });
    stream.on('response', (headers) => resolve(headers[':status'] ?? 0));
    stream.on('error', reject);
    stream.on('close', () => session.close());
    stream.resume();
  });

it('serves a loopback-only route on this machine, over both versions of HTTP', async () => {
  const url = await start();
  expect((await fetch(url)).status).toBe(200);
  expect(await overHttp2(url)).toBe(200);
});

it('refuses a loopback-only route through a proxy and from another address', async () => {
  const url = await start('0.0.0.0');
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    const answer = await fetch(url, { headers: { [header]: '127.0.0.1' } });
    expect([answer.status, (await answer.text()).includes('"LOOPBACK"')]).toEqual([403, true]);
  }
  const outer = Object.values(networkInterfaces())
    .flat()
    .find((face) => face?.family === 'IPv4' && !face.internal);
  if (outer !== undefined) expect((await fetch(url.replace('127.0.0.1', outer.address))).status).toBe(403);
  expect(contexts).toEqual([]);
});

it('hands a well-formed trace context on and tells of the call what it was, without contents', async () => {
  const url = await start();
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await fetch(url, { headers: { traceparent, 'x-request-id': 'r1' } });
  for (const bad of ['00-0-0-01', traceparent.replace(/b7.*31/, '0'.repeat(16)), traceparent.toUpperCase()])
    await fetch(url, { headers: { traceparent: bad } });
  expect(contexts.map((context) => context.traceParent)).toEqual([traceparent, undefined, undefined, undefined]);
  expect(seen[0]).toMatchObject({
    operation: 'GET /v1/here/{ns}',
    code: 'OK',
    reason: '',
    requestId: 'r1',
    traceParent: traceparent,
    request: { ns: 'n' },
    isStream: false,
  });
});

it('tells what the caller prefers', async () => {
  const url = await start();
  await fetch(url, { headers: { prefer: 'wait=5, Svc-Bookmark; x=1' } });
  await fetch(url);
  const preferred = contexts.map((context) => ['svc-bookmark', 'wait'].map((name) => context.prefers?.(name)));
  expect(preferred).toEqual([
    [true, false],
    [false, false],
  ]);
});

const brokenBody = (length: object): HttpRoute => ({
  ...{ method: 'GET', pattern: '/v1/broken', authenticated: false },
  handle: async (exchange) => {
    exchange.stream(200, { 'content-type': 'text/plain', ...length }).write('half of it');
    throw new Fault('DATA_LOSS', 'OBJECT_DAMAGED', 'the other half is damaged');
  },
});

const startBroken = async (length: object): Promise<string> => {
  const onCall = (call: FinishedCall): void => void seen.push(call);
  server = await createTransport({ ...testParts({ routes: [brokenBody(length)], onCall }) });
  return `http://127.0.0.1:${server.port}/v1/broken`;
};

it('breaks an answer of a stated length that a fault cut off, over both versions of HTTP', async () => {
  const url = await startBroken({ 'content-length': '20' });
  const half = fetch(url).then((answer) => answer.text());
  await expect(half).rejects.toThrow('terminated');
  await expect(overHttp2(url)).resolves.toBe(200);
  const failure = new Promise((resolve) => {
    const session = connect(url);
    const stream = session.request({ ':path': '/v1/broken' });
    stream.on('error', resolve);
    stream.on('close', () => session.close());
    stream.resume();
  });
  expect(String(await failure)).toContain('NGHTTP2_INTERNAL_ERROR');
  expect(seen.map(({ reason }) => reason)).toEqual(['OBJECT_DAMAGED', 'OBJECT_DAMAGED', 'OBJECT_DAMAGED']);
});

it('ends an answer without a length where a fault cut it off: its events say by themselves what came', async () => {
  const url = await startBroken({});
  expect(await (await fetch(url)).text()).toBe('half of it');
});

it('answers with a fault when a header of the route cannot be sent', async () => {
  const unsendable: HttpRoute = {
    ...{ method: 'GET', pattern: '/v1/unsendable', authenticated: false },
    handle: async (exchange) => exchange.answer(200, { 'content-type': 'text/plain; name=\u65e5' }, 'never'),
  };
  server = await createTransport({ ...testParts({ routes: [unsendable] }) });
  const answer = await fetch(`http://127.0.0.1:${server.port}/v1/unsendable`, { signal: AbortSignal.timeout(10_000) });
  expect([answer.status, (await answer.text()).includes('"INTERNAL"')]).toEqual([500, true]);
});
