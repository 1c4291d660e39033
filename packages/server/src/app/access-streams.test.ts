import { connect } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  AuthService,
  type CreateApiKeyResponse,
  GatewayService,
  type MintAccessTokenResponse,
  WatchResourcesRequestSchema,
} from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, openAccessWorld } from '../features/platform/access/testing/index.ts';
import type { HttpRoute } from '../operations/index.ts';
import { namespaceKey } from '../resources/index.ts';
import { createTransport, type TransportServer } from '../transport/index.ts';
import { testConfig } from '../transport/testing/transport-parts.ts';

const { createApiKey, mintAccessToken, revokeApiKey } = AuthService.method;
const grants = [{ role: 'viewer', namespace: 'acme' }];
/** Streams look at their credential at every keep-alive, which is due within this. */
const KEEP_ALIVE_MS = 15_000;
let world: AccessWorld;
let server: TransportServer;

const SSE = { 'content-type': 'text/event-stream' };
/** A plain stream that ends as its route wants when its signal is aborted. */
const events: HttpRoute = {
  ...{ method: 'GET', pattern: '/v1/plain/events', authenticated: true },
  handle: async (exchange, _params, { signal }) => {
    exchange.stream(200, SSE).write('event: ready\n\n');
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw signal.reason;
  },
};
/** One that never looks at its signal. */
const deaf: HttpRoute = {
  ...{ method: 'GET', pattern: '/v1/plain/deaf', authenticated: true },
  handle: (exchange) => {
    exchange.stream(200, SSE).write('event: ready\n\n');
    return new Promise(() => undefined);
  },
};

beforeEach(async () => {
  world = await openAccessWorld();
  await world.call(GatewayService.method.createNamespace, { name: 'acme' });
  const { operations, authenticator, authorizer, clock, ids } = world;
  server = await createTransport({
    ...{ config: testConfig, operations, authenticator, authorizer, clock, ids, routes: [events, deaf], readiness: [] },
    callbacks: authenticator,
    metricsText: async () => '',
    schemaVersion: () => 1,
    log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
  });
});
afterEach(async () => {
  await server.close();
  await world.close();
});

const get = (path: string, headers: Record<string, string>): Promise<Response> =>
  fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
interface Watch {
  /** Everything that came, once the stream has ended. */
  readonly text: Promise<string>;
  readonly lastLine: Promise<string>;
}

const watch = async (headers: Record<string, string>): Promise<Watch> => {
  const answer = await get('/v1/ns/acme/resources:watch', { ...headers, accept: 'application/x-ndjson' });
  expect(answer.status).toBe(200);
  const text = answer.text();
  return { text, lastLine: text.then((whole) => whole.trim().split('\n').at(-1) ?? '') };
};
const makeKey = (more: object = {}): Promise<CreateApiKeyResponse> =>
  world.call(createApiKey, { name: 'ci', grants, ...more });

const PATH = '/svc.gateway.ResourceService/WatchResources';
const REQUEST = Buffer.from('{"ns":"acme"}');
const enveloped = (request: Uint8Array): Buffer => Buffer.concat([Buffer.from([0, 0, 0, 0, request.length]), request]);
const BINARY = toBinary(WatchResourcesRequestSchema, create(WatchResourcesRequestSchema, { ns: 'acme' }));

type Opened = Promise<{ readonly text: Promise<string> }>;
type Headers = Readonly<Record<string, string>>;

const overRest = async (accept: string, headers: Headers): Opened => {
  const answer = await get('/v1/ns/acme/resources:watch', { ...headers, accept });
  return { text: answer.text() };
};
const overPost = async (type: string, headers: Headers): Opened => {
  const body = type.includes('-text') ? enveloped(BINARY).toString('base64') : enveloped(REQUEST);
  const answer = await fetch(`http://127.0.0.1:${server.port}${PATH}`, {
    ...{ method: 'POST', body, headers: { ...headers, 'content-type': type } },
  });
  const text = answer.text();
  return { text: type.includes('-text') ? text.then((whole) => whole.split('=').map(fromBase64).join('')) : text };
};
const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('latin1');
const overGrpc = (headers: Headers): Opened =>
  new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${server.port}`);
    const stream = session.request({
      ...{ ':method': 'POST', ':path': PATH, 'content-type': 'application/grpc+json', te: 'trailers' },
      ...headers,
    });
    const { promise: text, resolve: end } = Promise.withResolvers<string>();
    stream.on('response', () => resolve({ text }));
    stream.on('trailers', (trailers) => end(JSON.stringify(trailers)));
    stream.on('close', () => session.close());
    stream.resume();
    stream.end(enveloped(REQUEST));
  });

/** How a stream is opened over each transport, and how it tells of the credential. */
const TRANSPORTS: readonly (readonly [string, (headers: Headers) => Opened, RegExp])[] = [
  [
    'NDJSON',
    (headers) => overRest('application/x-ndjson', headers),
    /\n\{"error":.*"UNAUTHENTICATED".*KEY_REVOKED.*\n$/,
  ],
  ['SSE', (headers) => overRest('text/event-stream', headers), /\nevent: error\ndata: \{"error":.*KEY_REVOKED.*\n\n$/],
  ['a JSON array', (headers) => overRest('application/json', headers), /,\{"error":.*KEY_REVOKED.*\]$/],
  ['Connect', (headers) => overPost('application/connect+json', headers), /"code":"unauthenticated".*KEY_REVOKED/],
  ['gRPC-web', (headers) => overPost('application/grpc-web+json', headers), /grpc-status: ?16\r\n/],
  ['gRPC-web as text', (headers) => overPost('application/grpc-web-text', headers), /grpc-status: ?16\r\n/],
  ['gRPC', overGrpc, /"grpc-status":"16"/],
];

describe('an open stream', () => {
  it.each(TRANSPORTS)('over %s ends with UNAUTHENTICATED when its API key is revoked', async (_name, open, end) => {
    const { key, secret } = await makeKey();
    const stream = await open({ 'x-api-key': secret });
    await world.call(revokeApiKey, { id: key?.id ?? '' });
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await stream.text).toMatch(end);
  });

  it('of a plain route ends with the error as its last event, also when the route does not listen', async () => {
    const { key, secret } = await makeKey();
    const [told, cut] = await Promise.all(
      ['events', 'deaf'].map((name) => get(`/v1/plain/${name}`, { 'x-api-key': secret })),
    );
    const texts = [told, cut].map((answer) => answer?.text());
    await world.call(revokeApiKey, { id: key?.id ?? '' });
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await texts[0]).toMatch(/^event: ready\n\nevent: error\ndata: \{"error":\{"code":401.*KEY_REVOKED.*\n\n$/);
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await texts[1]).toBe('event: ready\n\n');
  });

  it('ends when its credential no longer grants what it shows', async () => {
    const { secret } = await makeKey();
    await world.call(GatewayService.method.createNamespace, { name: 'child', parent: 'acme' });
    const answer = await get('/v1/ns/child/resources:watch', { 'x-api-key': secret });
    const child = await world.store.direct.resources.get(namespaceKey('child'));
    world.ancestry.forget(child!);
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await answer.text()).toMatch(/"PERMISSION_DENIED".*SCOPE/);
  });

  it('ends with KEY_REVOKED at the next keep-alive after its API key was revoked', async () => {
    const { key, secret } = await makeKey();
    const stream = await watch({ 'x-api-key': secret });
    await world.call(revokeApiKey, { id: key?.id ?? '' });
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await stream.lastLine).toMatch(/UNAUTHENTICATED.*KEY_REVOKED/);
  });

  it('ends within 30 s where the hint of the revocation was lost', async () => {
    const { key, secret } = await makeKey();
    const stream = await watch({ authorization: `Bearer ${secret}` });
    const name = `api-key/${key?.id}`;
    const record = JSON.parse((await world.store.direct.instance.value(name)) ?? '') as object;
    await world.store.write((tx) => tx.instance.setValue(name, JSON.stringify({ ...record, revokedAt: 1 })));
    world.clock.advance(KEEP_ALIVE_MS);
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await stream.lastLine).toContain('KEY_REVOKED');
  });

  it('of a minted token ends with the API key behind it', async () => {
    const { key, secret } = await makeKey();
    const minted: MintAccessTokenResponse = await world.call(
      mintAccessToken,
      { grants, ttlSeconds: 3_600 },
      await world.bearer(secret),
    );
    const stream = await watch({ authorization: `Bearer ${minted.accessToken}` });
    await world.call(revokeApiKey, { id: key?.id ?? '' });
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await stream.lastLine).toContain('KEY_REVOKED');
  });

  it('ends when its credential expires', async () => {
    const expiresAt = BigInt(world.clock.nowMicros() + 20_000_000);
    const stream = await watch({ 'x-api-key': (await makeKey({ expiresAt })).secret });
    world.clock.advance(2 * KEEP_ALIVE_MS);
    expect(await stream.lastLine).toContain('CREDENTIALS_EXPIRED');
  });

  it('of another key goes on', async () => {
    const [gone, kept] = [await makeKey(), await makeKey()];
    const stream = await watch({ 'x-api-key': kept.secret });
    await world.call(revokeApiKey, { id: gone.key?.id ?? '' });
    world.clock.advance(2 * KEEP_ALIVE_MS);
    await world.call(GatewayService.method.createAgent, { ns: 'acme', name: 'made-afterwards' });
    await world.call(revokeApiKey, { id: kept.key?.id ?? '' });
    world.clock.advance(KEEP_ALIVE_MS);
    expect(await stream.text).toContain('made-afterwards');
  });
});

it('a revoked key is refused with 401 and a scoped one with 403', async () => {
  const { key, secret } = await makeKey();
  expect((await get('/v1/ns/acme/agents', { 'x-api-key': secret })).status).toBe(200);
  expect((await get('/v1/ns/default/agents', { 'x-api-key': secret })).status).toBe(403);
  await world.call(revokeApiKey, { id: key?.id ?? '' });
  const refused = await get('/v1/ns/acme/agents', { 'x-api-key': secret });
  expect(refused.status).toBe(401);
  expect(refused.headers.get('www-authenticate')).toContain('Bearer');
  expect(await refused.text()).toContain('KEY_REVOKED');
});
