import {
  AuthService,
  type CreateApiKeyResponse,
  GatewayService,
  type ListApiKeysResponse,
  type ListAuditRecordsResponse,
  type RevokeApiKeyResponse,
} from '@svc/api/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallerGrant } from '../../../../auth/contract.ts';
import { silentLog } from '../../../../base/index.ts';
import { bytesOfGivenStore } from '../../../../store/testing/given-store.ts';
import { type AccessWorld, callerWith, openAccessWorld } from '../testing/index.ts';
import { ApiKeyDirectory } from './index.ts';

const { createApiKey, listApiKeys, revokeApiKey, listAuditRecords } = AuthService.method;
const viewer = { role: 'viewer', namespace: 'acme' };
const acmeAdmin: CallerGrant = { role: 'admin', namespace: 'acme', readSecrets: false };
let world: AccessWorld;

beforeEach(async () => {
  world = await openAccessWorld();
});
afterEach(() => world.close());

const make = (request: object = {}, ...owner: CallerGrant[]): Promise<CreateApiKeyResponse> =>
  world.call(
    createApiKey,
    { name: 'ci', grants: [viewer], ...request },
    ...(owner.length === 0 ? [] : [callerWith(...owner)]),
  );
const list = (request: object = {}, ...owner: CallerGrant[]): Promise<ListApiKeysResponse> =>
  world.call(listApiKeys, request, ...(owner.length === 0 ? [] : [callerWith(...owner)]));
const revoke = (id = '', ...owner: CallerGrant[]): Promise<RevokeApiKeyResponse> =>
  world.call(revokeApiKey, { id }, ...(owner.length === 0 ? [] : [callerWith(...owner)]));
/** Lets writes that nobody waits for reach the store. */
const settle = () => world.store.write(async () => undefined);

describe('an API key', () => {
  it('signs in as bearer token or by x-api-key, with its own grants and identity', async () => {
    const { key, secret } = await make();
    expect(secret).toMatch(new RegExp(`^svc_${key?.id}_[\\w-]{43}$`));
    expect(key).toMatchObject({ name: 'ci', prefix: `svc_${key?.id}`, lastUsedAt: 0n });
    const expected = {
      identity: `key:${key?.id}`,
      mode: 'api-key',
      grants: [{ role: 'viewer', namespace: 'acme', readSecrets: false }],
    };
    expect(await world.bearer(secret)).toMatchObject(expected);
    expect(await world.signIn({ 'x-api-key': secret })).toMatchObject(expected);
    expect(await world.signIn({ authorization: `bEARER ${secret}` })).toMatchObject(expected);
  });

  it('is kept as a hash only, in no file of the data directory', async () => {
    const { secret } = await make();
    await settle();
    const text = (await bytesOfGivenStore(world.dataDir)).toString('latin1');
    expect(text).toContain(secret.slice(4, 36));
    expect(text).not.toContain(secret.slice(37));
  });

  it.each([
    ['another secret', (secret: string) => `${secret.slice(0, -4)}AAAA`],
    ['an unknown id', (secret: string) => secret.replace(/^svc_.{4}/, 'svc_0000')],
    ['a broken form', (secret: string) => secret.slice(0, -1)],
  ])('with %s is refused', async (_, change) => {
    const { secret } = await make();
    await expect(world.bearer(change(secret))).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });

  it('ends with its time', async () => {
    const expiresAt = BigInt(world.clock.nowMicros() + 60_000_000);
    const { key, secret } = await make({ expiresAt });
    expect(await world.bearer(secret)).toMatchObject({ expiresAt: Number(expiresAt) });
    expect(key?.expiresAt).toBe(expiresAt);
    world.clock.advance(60_000);
    await expect(world.bearer(secret)).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
  });

  it('ends with its time when the machine is set forward or back', async () => {
    world.clock.stepWallClock(-3_600_000);
    const expiresAt = BigInt(world.clock.nowMicros() + 60_000_000);
    const { secret } = await make({ expiresAt });
    expect(await world.bearer(secret)).toMatchObject({ expiresAt: Number(expiresAt) });
    world.clock.stepWallClock(60_000);
    await expect(world.bearer(secret)).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
    await expect(make({ expiresAt })).rejects.toMatchObject({ violations: [{ field: 'expiresAt' }] });
  });

  it('is refused at once when it was revoked, and stays so', async () => {
    const { key, secret } = await make();
    await world.bearer(secret);
    const revoked = await revoke(key?.id);
    expect(revoked.key?.revokedAt).toBeGreaterThan(0n);
    await expect(world.bearer(secret)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', reason: 'KEY_REVOKED' });
    await expect(world.bearer(`${secret.slice(0, -4)}AAAA`)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    expect((await revoke(key?.id)).key?.revokedAt).toBe(revoked.key?.revokedAt);
  });

  it('is refused within ten seconds where the hint of its revocation was lost', async () => {
    const { key, secret } = await make();
    await world.bearer(secret);
    const hash = JSON.parse((await world.store.direct.instance.value(`api-key/${key?.id}`)) ?? '');
    await world.store.write((tx) =>
      tx.instance.setValue(`api-key/${key?.id}`, JSON.stringify({ ...hash, revokedAt: 1 })),
    );
    expect(await world.bearer(secret)).toBeDefined();
    world.clock.advance(10_000);
    await expect(world.bearer(secret)).rejects.toMatchObject({ reason: 'KEY_REVOKED' });
  });

  it('is looked up again after hints may have been lost', async () => {
    const { key, secret } = await make();
    let lose = (): void => undefined;
    const { store, clock } = world;
    const directory = new ApiKeyDirectory({
      ...{ store, clock, log: silentLog },
      bus: {
        subscribe: () => () => undefined,
        onGap: (_subject, notify) => {
          lose = notify;
          return () => undefined;
        },
      },
    });
    await directory.recognise(secret);
    await revoke(key?.id);
    expect(directory.recognise(secret)).not.toBeInstanceOf(Promise);
    clock.advance(1);
    lose();
    await expect(directory.recognise(secret)).rejects.toMatchObject({ reason: 'KEY_REVOKED' });
    directory.close();
  });

  it('is answered from memory, without a promise, while it is fresh', async () => {
    const { secret } = await make();
    const carrier = { header: (name: string) => (name === 'x-api-key' ? secret : undefined) };
    await Promise.all(Array.from({ length: 50 }, () => world.authenticator.authenticate(carrier)));
    expect(world.counted.keyReads).toBe(1);
    for (let index = 0; index < 100; index++)
      expect(world.authenticator.authenticate(carrier)).not.toBeInstanceOf(Promise);
    expect(world.counted.keyReads).toBe(1);
  });

  it('shows when it was used last, to the minute', async () => {
    const { key, secret } = await make();
    const lastUse = async () => (await list()).keys.find(({ id }) => id === key?.id)?.lastUsedAt;
    const first = BigInt(world.clock.nowMicros());
    await world.bearer(secret);
    world.clock.advance(59_000);
    await world.bearer(secret);
    await settle();
    expect(await lastUse()).toBe(first);
    world.clock.advance(1_000);
    await world.bearer(secret);
    await settle();
    expect(await lastUse()).toBe(first + 60_000_000n);
  });

  it('changes no version of any resource by being used', async () => {
    const { secret } = await make();
    const before = await world.store.direct.resources.versionRange();
    await world.bearer(secret);
    await settle();
    expect(await world.store.direct.resources.versionRange()).toEqual(before);
  });
});

describe('making an API key', () => {
  it.each([
    ['no grants', { grants: [] }, 'grants'],
    ['too many grants', { grants: Array.from({ length: 65 }, () => viewer) }, 'grants'],
    ['an unknown role', { grants: [{ role: 'owner' }] }, 'grants[0].role'],
    ['an empty scope', { grants: [{ role: 'viewer', namespace: '' }] }, 'grants[0].namespace'],
    ['an agent without namespace', { grants: [{ role: 'viewer', agent: 'a' }] }, 'grants[0].namespace'],
    ['a channel without namespace', { grants: [{ role: 'viewer', channel: 'a' }] }, 'grants[0].namespace'],
    ['a session without agent', { grants: [{ role: 'viewer', namespace: 'a', session: 's' }] }, 'grants[0].agent'],
    ['a name with a line break', { name: 'a\nb' }, 'name'],
    ['an expiry now', { expiresAt: 0n }, 'expiresAt'],
    ['an expiry that no number holds', { expiresAt: 2n ** 63n - 1n }, 'expiresAt'],
  ])('with %s is refused, naming the field', async (_, request, field) => {
    await expect(make(request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', violations: [{ field }] });
    expect((await list()).keys).toEqual([]);
  });

  it('gives nothing away that the caller does not have', async () => {
    await expect(make({ grants: [{ role: 'viewer' }] }, acmeAdmin)).rejects.toMatchObject({ reason: 'SCOPE' });
    const elsewhere = { grants: [viewer, { role: 'viewer', namespace: 'other' }] };
    await expect(make(elsewhere, acmeAdmin)).rejects.toMatchObject({ reason: 'SCOPE' });
    const secrets = { grants: [{ ...viewer, readSecrets: true }] };
    await expect(make(secrets, acmeAdmin)).rejects.toMatchObject({ reason: 'ROLE' });
    const more = { grants: [{ role: 'admin', namespace: 'other' }] };
    const readsOther: CallerGrant = { role: 'viewer', namespace: 'other', readSecrets: false };
    await expect(make(more, acmeAdmin, readsOther)).rejects.toMatchObject({ reason: 'ROLE' });
    await world.call(GatewayService.method.createNamespace, { name: 'acme:x' });
    const below = { grants: [{ role: 'admin', namespace: 'acme:x', agent: 'a' }] };
    expect((await make(below, acmeAdmin)).secret).not.toBe('');
    await expect(make({}, { ...acmeAdmin, role: 'operator' })).rejects.toMatchObject({ reason: 'ROLE' });
  });

  it('is refused where nobody signs in, since it would restrict nothing', async () => {
    const anonymous = { ...callerWith({ role: 'admin', readSecrets: true }), mode: 'none' as const };
    await expect(world.call(createApiKey, { name: 'ci', grants: [viewer] }, anonymous)).rejects.toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'AUTH_REQUIRED', message: expect.stringContaining('set auth.mode') },
    });
    expect((await list()).keys).toEqual([]);
  });

  it('for a namespace that does not exist is refused, unless that is forced', async () => {
    const grants = [viewer, { role: 'viewer', namespace: 'amce' }];
    await expect(make({ grants })).rejects.toMatchObject({
      ...{ code: 'FAILED_PRECONDITION', reason: 'NAMESPACE_MISSING' },
      message: 'grants[1].namespace does not exist: amce; create it first, or set force',
    });
    expect((await list()).keys).toEqual([]);
    expect((await make({ grants, force: true })).key?.grants).toHaveLength(2);
  });

  it('is audited without the secret, and so is revoking', async () => {
    const { key, secret } = await make();
    await revoke(key?.id);
    await revoke(key?.id);
    const { records }: ListAuditRecordsResponse = await world.call(listAuditRecords, {});
    const own = records.filter(({ target }) => target === `ApiKey/${key?.id}`);
    expect(own.map(({ operation, outcome }) => [operation, outcome])).toEqual([
      ['svc.gateway.AuthService/RevokeApiKey', 'revoked'],
      ['svc.gateway.AuthService/CreateApiKey', 'created'],
    ]);
    expect(JSON.stringify(records, (_, value) => String(value))).not.toContain(secret.slice(37));
  });
});

describe('API keys', () => {
  it('are listed newest first, in pages, revoked ones only when asked for', async () => {
    const made = [];
    for (const name of ['a', 'b', 'c', 'd']) made.push((await make({ name })).key?.id);
    await revoke(made[2]);
    const first = await list({ pageSize: 2 });
    expect(first.keys.map(({ name }) => name)).toEqual(['d', 'b']);
    const second = await list({ pageSize: 2, pageToken: first.nextPageToken });
    expect(second.keys.map(({ name }) => name)).toEqual(['a']);
    expect(second.nextPageToken).toBe('');
    expect((await list({ includeRevoked: true })).keys.map(({ name }) => name)).toEqual(['d', 'c', 'b', 'a']);
    const foreign = list({ includeRevoked: true, pageToken: first.nextPageToken });
    await expect(foreign).rejects.toMatchObject({ reason: 'PAGE_TOKEN_INVALID' });
  });

  it('beyond the grants of the caller cannot be seen or revoked', async () => {
    const wide = await make({ name: 'wide', grants: [{ role: 'viewer' }] });
    const own = await make({ name: 'own' });
    expect((await list({}, acmeAdmin)).keys.map(({ name }) => name)).toEqual(['own']);
    await expect(revoke(wide.key?.id, acmeAdmin)).rejects.toMatchObject({ reason: 'API_KEY_NOT_FOUND' });
    await expect(revoke('nothing', acmeAdmin)).rejects.toMatchObject({ reason: 'API_KEY_NOT_FOUND' });
    expect((await revoke(own.key?.id, acmeAdmin)).key?.name).toBe('own');
    expect(await world.bearer(wide.secret)).toBeDefined();
  });

  it('are no resources: no list or watch of them shows a key', async () => {
    await make();
    const all = await world.store.direct.resources.list({ scope: { type: 'all' }, limit: 1_000 });
    expect(JSON.stringify(all)).not.toMatch(/api-?key/i);
  });
});
