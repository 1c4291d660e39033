import { AuthService, type CreateApiKeyResponse, GatewayService, type MintAccessTokenResponse } from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AccessWorld, openAccessWorld } from '../features/access/testing/index.ts';
import { createTransport, type TransportServer } from '../transport/index.ts';
import { testConfig } from '../transport/testing.ts';

const { createApiKey, mintAccessToken, revokeApiKey } = AuthService.method;
const grants = [{ role: 'viewer', namespace: 'acme' }];
/** Streams look at their credential at every keep-alive, which is due within this. */
const KEEP_ALIVE_MS = 15_000;
let world: AccessWorld;
let server: TransportServer;

beforeEach(async () => {
  world = await openAccessWorld();
  await world.call(GatewayService.method.createNamespace, { name: 'acme' });
  const { operations, authenticator, authorizer, clock, ids } = world;
  server = await createTransport({
    ...{ config: testConfig, operations, authenticator, authorizer, clock, ids, routes: [], readiness: [] },
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

describe('an open stream', () => {
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
