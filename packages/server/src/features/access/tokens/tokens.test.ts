import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AuthService,
  type CreateApiKeyResponse,
  type ListAuditRecordsResponse,
  type MintAccessTokenResponse,
} from '@svc/api/gateway';
import { createLocalJWKSet, exportJWK, type JSONWebKeySet, jwtVerify, SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../auth/contract.ts';
import { subjectIdentity } from '../../../auth/index.ts';
import { type AccessWorld, callerWith, openAccessWorld } from '../testing/index.ts';
import { keySetRoute, openTokenKey, TokenKeys } from './index.ts';

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
      identity: subjectIdentity('anonymous:job-7'),
      subject: 'anonymous:job-7',
      mode: 'minted',
      grants: [{ role: 'viewer', namespace: 'acme', readSecrets: false }],
      expiresAt: Number(answer.expiresAt),
    });
    world.clock.advance(60_000);
    await expect(world.bearer(answer.accessToken)).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
    const fresh = world.openTokens().recognise(answer.accessToken, 'bearer');
    await expect(fresh).rejects.toMatchObject({ reason: 'CREDENTIALS_EXPIRED' });
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
  const path = () => join(world.dataDir, 'keys', 'tokens.json');

  it('are made once, for their owner alone', async () => {
    expect(statSync(path()).mode & 0o777).toBe(0o600);
    expect((await openTokenKey(world.dataDir)).id).toBe(world.keys.own.id);
  });

  it('stop the start when others may read them or when they are damaged', async () => {
    chmodSync(path(), 0o644);
    await expect(openTokenKey(world.dataDir)).rejects.toMatchObject({ reason: 'KEY_FILE' });
    chmodSync(path(), 0o600);
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
    for (const text of ['{', '{}', JSON.stringify({ key: rsa })]) {
      writeFileSync(path(), text);
      await expect(openTokenKey(world.dataDir)).rejects.toMatchObject({ reason: 'KEY_FILE' });
    }
  });

  it('verify the tokens of every node and of a file that was lost', async () => {
    const { store, clock } = world;
    const { accessToken } = await mint();
    rmSync(path());
    const other = await TokenKeys.open(await openTokenKey(world.dataDir), { store, clock });
    expect(other.own.id).not.toBe(world.keys.own.id);
    expect(await world.openTokens(other).recognise(accessToken, 'bearer')).toMatchObject({ mode: 'minted' });
    const theirs = await world.openTokens(other).sign({
      ...{ subject: 'x', grants: [], apiKeyId: undefined },
      expiresAt: clock.nowMicros() / 1e6 + 60,
    });
    expect(await world.bearer(theirs)).toMatchObject({ subject: 'x' });
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
    expect(payload.sub).toBe('anonymous:me');
    const secret = (await exportJWK(world.keys.own.privateKey)).d ?? '';
    expect(readFileSync(path(), 'utf8')).toContain(secret);
  });
});
