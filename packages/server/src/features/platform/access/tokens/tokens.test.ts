import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  AuthService,
  type CreateApiKeyResponse,
  type ListAuditRecordsResponse,
  type MintAccessTokenResponse,
} from '@svc/api/gateway';
import { createLocalJWKSet, exportJWK, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../../auth/contract.ts';
import { subjectIdentity } from '../../../../auth/index.ts';
import { seededRandom, silentLog } from '../../../../base/index.ts';
import type { ValueSeal } from '../../../../resources/index.ts';
import { freshKey, KeyRing } from '../../../authoring/secrets/key-ring.ts';
import { type AccessWorld, callerWith, openAccessWorld } from '../testing/index.ts';
import { keySetRoute, TokenKeys } from './index.ts';

const { createApiKey, mintAccessToken, revokeApiKey, listAuditRecords } = AuthService.method;
const viewer = { role: 'viewer', namespace: 'acme' };
let world: AccessWorld;

beforeEach(async () => {
  world = await openAccessWorld();
});
afterEach(() => world.close());

const mint = (request: object = {}, caller?: Caller): Promise<MintAccessTokenResponse> =>
  world.call(mintAccessToken, { grants: [viewer], ...request }, ...(caller === undefined ? [] : [caller]));
const secondsLeft = ({ expiresAt }: MintAccessTokenResponse): number =>
  Number(expiresAt) / 1e6 - world.clock.nowMicros() / 1e6;

describe('a minted token', () => {
  it('signs in as its subject with its grants, until it expires', async () => {
    const answer = await mint({ subjectSuffix: 'job-7', ttlSeconds: 60 });
    expect(answer).toMatchObject({ tokenType: 'Bearer', grants: [{ role: 'viewer', namespace: 'acme' }] });
    expect(secondsLeft(answer)).toBe(60);
    const caller = await world.bearer(answer.accessToken);
    expect(caller).toEqual({
      identity: subjectIdentity('token:job-7'),
      subject: 'token:job-7',
      mode: 'minted',
      grants: [{ role: 'viewer', namespace: 'acme', readSecrets: false }],
      expiresAt: Number(answer.expiresAt),
    });
    world.clock.advance(60_000);
    await expect(world.bearer(answer.accessToken)).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
    const fresh = world.openTokens().recognise(answer.accessToken, 'bearer');
    await expect(fresh).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
  });

  it('is refused where nobody signs in, since it would restrict nothing', async () => {
    const anonymous = { ...callerWith({ role: 'admin', readSecrets: true }), mode: 'none' as const };
    await expect(mint({}, anonymous)).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'AUTH_REQUIRED' });
  });

  it('for a namespace that does not exist is refused, unless that is forced', async () => {
    const grants = [{ role: 'viewer', namespace: 'amce' }];
    await expect(mint({ grants })).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'NAMESPACE_MISSING' });
    expect((await mint({ grants, force: true })).accessToken).not.toBe('');
  });

  it.each([
    [0, 900],
    [1, 1],
    [86_400, 86_400],
    [4_000_000_000, 86_400],
  ])('asked for %i seconds lives %i', async (ttlSeconds, expected) => {
    expect(secondsLeft(await mint({ ttlSeconds }))).toBe(expected);
  });

  it('never outlives the credential it was made with', async () => {
    const caller = { ...callerWith({ role: 'viewer', readSecrets: false }), expiresAt: world.clock.nowMicros() + 5e6 };
    expect(secondsLeft(await mint({}, caller))).toBe(5);
    const token = await world.bearer((await mint({ ttlSeconds: 10 }, caller)).accessToken);
    expect(secondsLeft(await mint({ ttlSeconds: 100 }, token))).toBe(5);
  });

  it('ends with the API key it was made with, also when it was passed on', async () => {
    const { key, secret }: CreateApiKeyResponse = await world.call(createApiKey, { name: 'ci', grants: [viewer] });
    const first = await mint({}, await world.bearer(secret));
    const second = await mint({ subjectSuffix: 'child' }, await world.bearer(first.accessToken));
    expect(await world.bearer(second.accessToken)).toMatchObject({ subject: `key:${key?.id}:child` });
    await world.call(revokeApiKey, { id: key?.id ?? '' });
    for (const { accessToken } of [first, second])
      await expect(world.bearer(accessToken)).rejects.toMatchObject({ reason: 'KEY_REVOKED' });
  });

  it('is no API key, so x-api-key refuses it', async () => {
    const { accessToken } = await mint();
    await expect(world.signIn({ 'x-api-key': accessToken })).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });

  it('is verified once and then answered without a promise', async () => {
    const { accessToken } = await mint();
    const carrier = { header: (name: string) => (name === 'authorization' ? `Bearer ${accessToken}` : undefined) };
    await world.authenticator.authenticate(carrier);
    expect(world.authenticator.authenticate(carrier)).not.toBeInstanceOf(Promise);
  });

  it('is written to the audit log, the token itself is not', async () => {
    const { accessToken } = await mint();
    const { records }: ListAuditRecordsResponse = await world.call(listAuditRecords, {});
    expect(records[0]).toMatchObject({
      target: 'AccessToken',
      outcome: 'created',
      operation: 'svc.gateway.AuthService/MintAccessToken',
    });
    expect(JSON.stringify(records, (_, value) => String(value))).not.toContain(accessToken.slice(-20));
  });
});

describe('minting', () => {
  it('gives nothing away that the caller does not have', async () => {
    const caller = callerWith({ role: 'operator', namespace: 'acme', readSecrets: false });
    await expect(mint({ grants: [{ role: 'admin', namespace: 'acme' }] }, caller)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      reason: 'ROLE',
    });
    await expect(mint({ grants: [{ role: 'viewer' }] }, caller)).rejects.toMatchObject({ reason: 'SCOPE' });
    await expect(mint({ grants: [] }, caller)).rejects.toMatchObject({ violations: [{ field: 'grants' }] });
    await expect(mint({ subjectSuffix: 'a b' }, caller)).rejects.toMatchObject({
      violations: [{ field: 'subjectSuffix' }],
    });
    expect((await mint({}, caller)).accessToken).not.toBe('');
  });

  it('is refused to a credential that has just expired', async () => {
    const caller = { ...callerWith({ role: 'viewer', readSecrets: false }), expiresAt: world.clock.nowMicros() };
    await expect(mint({}, caller)).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
  });
});

describe('forged tokens', () => {
  const claims = { 'svc:grants': [{ role: 'admin' }] };
  const signed = (alg: string, kid: string, key: Parameters<SignJWT['sign']>[0]): Promise<string> =>
    new SignJWT(claims)
      .setProtectedHeader({ alg, kid })
      .setSubject('eve')
      .setAudience('svc')
      .setExpirationTime(world.clock.nowMicros() / 1e6 + 60)
      .sign(key);

  it('are refused, whatever key or algorithm they claim', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const own = world.keys.own;
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const body = encode({ sub: 'eve', aud: 'svc', exp: 9e9, ...claims });
    const forged = [
      await signed('EdDSA', own.id, privateKey),
      await signed('EdDSA', 'unknown', privateKey),
      await signed('HS256', own.id, new TextEncoder().encode(String(own.publicJwk.x).padEnd(32))),
      `${encode({ alg: 'none', kid: own.id })}.${body}.`,
      `${encode({ alg: 'EdDSA', kid: own.id })}.${body}.`,
    ];
    for (const token of forged)
      await expect(world.bearer(token)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
    const [head, , signature] = (await mint()).accessToken.split('.');
    await expect(world.bearer(`${head}.${body}.${signature}`)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });

  it('with the right key but other claims are refused', async () => {
    const { privateKey, id } = world.keys.own;
    const base = () => new SignJWT({}).setProtectedHeader({ alg: 'EdDSA', kid: id }).setSubject('eve');
    const withoutGrants = await base().setAudience('svc').setExpirationTime(9e9).sign(privateKey);
    await expect(world.bearer(withoutGrants)).rejects.toMatchObject({ reason: 'CREDENTIALS_INVALID' });
  });
});

describe('the keys of the instance', () => {
  /** As a node that starts on the store with a data directory, and perhaps keys of secrets, of its own. */
  const node = (name: string, seal: ValueSeal = world.seal) => {
    const dataDir = join(world.dataDir, name);
    const path = join(dataDir, 'keys', 'tokens.json');
    const open = async (): Promise<TokenKeys> => {
      const keys = new TokenKeys({ store: world.store, seal, dataDir, log: silentLog });
      await keys.open();
      return keys;
    };
    return { path, open };
  };
  /** What a release before kept there. */
  const keepFile = (
    path: string,
    key: object = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }),
  ) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, JSON.stringify({ key }), { mode: 0o600 });
    return JSON.stringify(key);
  };
  const signedBy = (keys: TokenKeys): Promise<string> =>
    world.openTokens(keys).sign({
      ...{ subject: 'x', grants: [{ role: 'viewer', readSecrets: false }], apiKeyId: undefined },
      expiresAt: world.clock.nowMicros() / 1e6 + 60,
    });
  const stored = async (): Promise<string> => (await world.store.direct.instance.value('token-key')) ?? '';
  const strange = (): KeyRing => new KeyRing([freshKey(seededRandom(77))], seededRandom(78));

  it('are one for all nodes, whatever their data directories, and no file', async () => {
    const nodes = await Promise.all(['a', 'b', 'c'].map((name) => node(name).open()));
    expect(nodes.map((keys) => keys.own.id)).toEqual(nodes.map(() => world.keys.own.id));
    expect(await world.bearer(await signedBy(nodes[1]!))).toMatchObject({ subject: 'x' });
    expect(existsSync(node('a').path)).toBe(false);
    expect((await world.keys.keySet()).keys).toHaveLength(1);
  });

  it('are in the store under a seal only, and under the newest one after a rotation', async () => {
    const { d } = await exportJWK(world.keys.own.privateKey);
    const first = await stored();
    expect(first).toMatch(/^sealed:v1:/);
    expect(first).not.toContain(d);
    world.seal.add(freshKey(world.random));
    expect((await node('a').open()).own.id).toBe(world.keys.own.id);
    const second = await stored();
    expect([world.seal.isNewest(first), world.seal.isNewest(second)]).toEqual([false, true]);
  });

  it('are those that the first node had in the file of a release before, and its tokens stay good', async () => {
    await world.store.write((tx) => tx.instance.removeValue('token-key'));
    const text = keepFile(node('old').path);
    const upgraded = await node('old').open();
    expect(JSON.stringify(upgraded.own.privateKey.export({ format: 'jwk' }))).toBe(text);
    const other = node('other');
    keepFile(other.path);
    expect((await other.open()).own.id).toBe(upgraded.own.id);
    expect(await world.bearer(await signedBy(upgraded))).toMatchObject({ subject: 'x' });
  });

  it('stop the start when that file may be read by others or is damaged', async () => {
    const { path, open } = node('old');
    await world.store.write((tx) => tx.instance.removeValue('token-key'));
    keepFile(path);
    chmodSync(path, 0o644);
    await expect(open()).rejects.toMatchObject({ reason: 'KEY_FILE' });
    chmodSync(path, 0o600);
    keepFile(path, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }));
    await expect(open()).rejects.toMatchObject({ reason: 'KEY_FILE' });
    for (const text of ['{', '{}']) {
      writeFileSync(path, text);
      await expect(open()).rejects.toMatchObject({ reason: 'KEY_FILE' });
    }
  });

  it('are replaced when they cannot be opened any more; what they signed stays good', async () => {
    const { accessToken } = await mint();
    const other = await node('a', strange()).open();
    expect(other.own.id).not.toBe(world.keys.own.id);
    expect(await world.openTokens(other).recognise(accessToken, 'bearer')).toMatchObject({ mode: 'minted' });
    expect(await world.bearer(await signedBy(other))).toMatchObject({ subject: 'x' });
  });

  it('are found the moment a node signs with another one, however often unknown ones were asked for', async () => {
    const unknown = (): Promise<unknown> => world.keys.find('unknown');
    expect(await unknown()).toBeUndefined();
    const token = await signedBy(await node('a', strange()).open());
    const both = await Promise.all([unknown(), world.bearer(token), unknown()]);
    expect(both).toMatchObject([undefined, { subject: 'x' }, undefined]);
  });

  it('serve a node that runs on while a hundred others come and go', async () => {
    for (let count = 0; count < 100; count++) await node(`n${count}`).open();
    const { accessToken } = await mint();
    const last = world.openTokens(await node('last').open());
    expect(await last.recognise(accessToken, 'bearer')).toMatchObject({ mode: 'minted' });
  });

  it('are shown to everyone, public halves only, so that others can verify', async () => {
    const { accessToken } = await mint({ subjectSuffix: 'me' });
    const bodies: string[] = [];
    const route = keySetRoute(world.keys);
    const exchange = { answer: (_status: number, _headers: object, text: string) => void bodies.push(text) };
    await route.handle(exchange as never, {}, undefined as never);
    expect([route.method, route.pattern, route.authenticated]).toEqual(['GET', '/.well-known/jwks.json', false]);
    const [body = ''] = bodies;
    expect(body).not.toContain('"d"');
    const set = createLocalJWKSet(JSON.parse(body) as JSONWebKeySet);
    const currentDate = new Date(world.clock.nowMicros() / 1_000);
    const { payload } = await jwtVerify(accessToken, set, { currentDate, issuer: 'http://svc.test' });
    expect(payload.sub).toBe('token:me');
  });
});
