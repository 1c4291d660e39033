import { createHmac, createPublicKey, generateKeyPairSync, type webcrypto } from 'node:crypto';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, silentLog } from '../../base/index.ts';
import type { Caller } from '../contract.ts';
import { type AuthConfig, ModeAuthenticator } from '../mode-authenticator.ts';
import { type JwksConfig, JwksCredentials } from './jwks-credentials.ts';
import { grantsOfRules } from './jwks-rules.ts';
import { type ProviderProcess, startProvider } from './testing/index.ts';

const NOW = 1_750_000_000;
const JWT_SECRET = 'a long enough secret of this test';
let provider: ProviderProcess;
let clock: ManualClock;
let config: JwksConfig;
let authenticator: ModeAuthenticator;

const open = (changes: Partial<JwksConfig> = {}, modes: AuthConfig['modes'] = ['jwt', 'jwks']): void => {
  config = {
    url: `${provider.issuer}/jwks`,
    issuer: provider.issuer,
    audience: 'svc',
    algorithms: ['RS256', 'ES256'],
    rules: [],
    ...changes,
  };
  const credentials = new JwksCredentials(config, { fetch, clock, log: silentLog });
  const auth = { modes, jwt: { secret: JWT_SECRET, audience: 'svc', defaultGrants: [] } };
  authenticator = new ModeAuthenticator(auth, clock, [(token, place) => credentials.recognise(token, place)]);
};

beforeAll(async () => {
  provider = await startProvider();
});
beforeEach(async () => {
  await provider.ask('/reset');
  clock = new ManualClock(NOW * 1_000_000);
  open();
});
afterAll(() => provider.stop());

const claims = (more: object = {}) => ({
  ...{ iss: provider.issuer, sub: 'ann', aud: 'svc', exp: NOW + 600, 'svc:ns': 'acme', 'svc:role': 'viewer' },
  ...more,
});
const signIn = async (token: string, header = 'authorization'): Promise<Caller> =>
  authenticator.authenticate({
    header: (name) => (name === header ? (name === 'authorization' ? `Bearer ${token}` : token) : undefined),
  });
const token = (more: object = {}, wish: object = {}): Promise<string> =>
  provider.token({ claims: claims(more), ...wish });
const fetches = async (): Promise<number> => (await provider.ask<{ fetches: number }>('/fetches')).fetches;
const refusal = (reason: string) => expect.objectContaining({ code: 'UNAUTHENTICATED', reason });

describe('a token of the provider', () => {
  it.each(['RS256', 'ES256'])('signed by %s signs in with the grants of its claims', async (alg) => {
    expect(await signIn(await token({}, { alg }))).toMatchObject({
      subject: 'ann',
      mode: 'jwks',
      grants: [{ role: 'viewer', namespace: 'acme', readSecrets: false }],
      expiresAt: (NOW + 630) * 1_000_000,
    });
  });

  it.each([
    ['expired', { exp: NOW - 31 }, 'CREDENTIALS_EXPIRED'],
    ['without expiry', { exp: undefined }, 'CREDENTIALS_INVALID'],
    ['not valid yet', { nbf: NOW + 31 }, 'CREDENTIALS_INVALID'],
    ['of another issuer', { iss: 'http://other.test' }, 'CREDENTIALS_INVALID'],
    ['for another audience', { aud: ['other'] }, 'CREDENTIALS_INVALID'],
    ['without subject', { sub: undefined }, 'CREDENTIALS_INVALID'],
    ['with an empty subject', { sub: '' }, 'CREDENTIALS_INVALID'],
  ])('%s is refused', async (_, more, reason) => {
    await expect(signIn(await token(more))).rejects.toEqual(refusal(reason));
  });

  it.each([
    ['of an unknown role', { 'svc:grants': [{ role: 'owner' }] }, /^claim svc:grants\[0\]\.role of the token must be/],
    ['without a role', { 'svc:role': undefined }, /^claim svc:role of the token is missing/],
    ['that are misspelt', { 'svc:namespace': 'acme' }, /did you mean "svc:ns"\?$/],
    ['that are misspelt beside others', { 'svc:agents': 'a' }, /did you mean "svc:agent"\?$/],
  ])('with claims %s is denied, though rules would fit it', async (_, more, message) => {
    open({ rules: [{ claim: 'sub', value: 'ann', role: 'admin' }] });
    await expect(signIn(await token(more))).rejects.toMatchObject({
      ...{ code: 'PERMISSION_DENIED', reason: 'SCOPE', message: expect.stringMatching(message) },
    });
  });

  it('is accepted within thirty seconds of skew, and no longer once time goes on', async () => {
    const late = await token({ exp: NOW - 20, nbf: NOW + 20 });
    expect(await signIn(late)).toBeDefined();
    clock.advance(10_000);
    await expect(signIn(late)).rejects.toEqual(refusal('CREDENTIALS_EXPIRED'));
  });

  it('is no API key', async () => {
    await expect(signIn(await token(), 'x-api-key')).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
  });

  it('is answered from memory while it was verified lately', async () => {
    const good = await token();
    await signIn(good);
    const carrier = { header: (name: string) => (name === 'authorization' ? `Bearer ${good}` : undefined) };
    expect(authenticator.authenticate(carrier)).not.toBeInstanceOf(Promise);
    clock.advance(15_000);
    expect(authenticator.authenticate(carrier)).toBeInstanceOf(Promise);
  });
});

describe('rules on claims', () => {
  const rules = [
    { claim: 'groups', value: 'ops', role: 'operator' as const, namespace: 'acme' },
    { claim: 'realm_access.roles', value: 'root', role: 'admin' as const, readSecrets: true },
  ];

  it('give grants to tokens without their own, and only then', async () => {
    open({ rules });
    const bare = { 'svc:ns': undefined, 'svc:role': undefined };
    const caller = await signIn(await token({ ...bare, groups: ['dev', 'ops'], realm_access: { roles: ['root'] } }));
    expect(caller.grants).toEqual([
      { role: 'operator', namespace: 'acme', readSecrets: false },
      { role: 'admin', readSecrets: true },
    ]);
    expect((await signIn(await token({ groups: ['ops'] }))).grants).toEqual([
      { role: 'viewer', namespace: 'acme', readSecrets: false },
    ]);
    await expect(signIn(await token({ ...bare, groups: ['dev'] }))).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it.each([
    ['groups', { groups: 'ops' }, true],
    ['groups', { groups: 'ops dev' }, false],
    ['scope', { scope: 'openid ops' }, true],
    ['a.b', { 'a.b': 'ops' }, true],
    ['a.b', { a: { b: ['ops'] } }, true],
    ['a.b', { a: 'b' }, false],
    ['toString', {}, false],
  ])('claim %s fits %o: %s', (claim, given, expected) => {
    expect(grantsOfRules([{ claim, value: 'ops', role: 'viewer' }], given)).toHaveLength(expected ? 1 : 0);
  });
});

describe('keys of the provider', () => {
  it('are fetched again for a key id nobody knows, at most once a minute', async () => {
    await signIn(await token());
    await provider.ask('/rotate');
    await expect(signIn(await token())).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    expect(await fetches()).toBe(1);
    clock.advance(60_000);
    expect(await signIn(await token())).toBeDefined();
    for (let index = 0; index < 5; index++) {
      await provider.ask('/rotate');
      await expect(signIn(await token())).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    }
    expect(await fetches()).toBe(2);
  });

  it('are fetched once for many calls at the same time', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, index) => token({ sub: `s${index}` })));
    expect(await Promise.all(tokens.map((each) => signIn(each)))).toHaveLength(20);
    expect(await fetches()).toBe(1);
  });

  it('that were withdrawn are trusted ten minutes at most', async () => {
    const old = await token({ exp: NOW + 6_000 });
    await signIn(old);
    await provider.ask('/rotate');
    clock.advance(599_000);
    expect(await signIn(old)).toBeDefined();
    clock.advance(15_000);
    await expect(signIn(old)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
  });

  it('stay in force while the provider is away', async () => {
    const good = await token({ exp: NOW + 6_000 });
    await signIn(good);
    await provider.ask('/break');
    clock.advance(1_200_000);
    expect(await signIn(good)).toMatchObject({ subject: 'ann' });
  });

  it('that could never be read refuse the token, and a minute later it is tried again', async () => {
    await provider.ask('/break');
    const good = await token();
    await expect(signIn(good)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    await provider.ask('/mend');
    await expect(signIn(good)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    clock.advance(60_000);
    expect(await signIn(good)).toBeDefined();
  });
});

describe('forged tokens are refused:', () => {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const publicKeys = async () =>
    (await provider.ask<{ keys: (webcrypto.JsonWebKey & { kid: string })[] }>('/jwks')).keys;

  it('without signature', async () => {
    for (const alg of ['none', 'None', 'NONE', '']) {
      const forged = `${encode({ alg, kid: 'key-1' })}.${encode(claims())}.`;
      await expect(signIn(forged)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    }
  });

  it('the public key as a secret', async () => {
    for (const jwk of await publicKeys()) {
      const { kid } = jwk;
      const key = createPublicKey({ key: jwk, format: 'jwk' });
      for (const secret of [key.export({ format: 'pem', type: 'spki' }), key.export({ format: 'der', type: 'spki' })]) {
        for (const alg of ['HS256', 'RS256', 'ES256']) {
          const text = `${encode({ alg, kid })}.${encode(claims())}`;
          const forged = `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
          await expect(signIn(forged)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
        }
      }
    }
  });

  it('a key of another type than the algorithm', async () => {
    const [rsa, ec] = await publicKeys();
    await expect(signIn(await token({}, { header: { kid: ec?.kid } }))).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    const swapped = await token({}, { alg: 'ES256', header: { kid: rsa?.kid } });
    await expect(signIn(swapped)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
  });

  it('an algorithm that is not configured', async () => {
    open({ algorithms: ['ES256'] });
    await expect(signIn(await token())).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    expect(await signIn(await token({}, { alg: 'ES256' }))).toBeDefined();
  });

  it('a key that came with the token', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const jwk = publicKey.export({ format: 'jwk' });
    for (const kid of ['key-1', 'mine', undefined]) {
      const forged = await new SignJWT(claims())
        .setProtectedHeader({ alg: 'RS256', jwk, ...(kid === undefined ? {} : { kid }) })
        .sign(privateKey);
      await expect(signIn(forged)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
    }
  });

  it('changed claims under a good signature', async () => {
    const [head, , signature] = (await token()).split('.');
    const forged = `${head}.${encode(claims({ 'svc:role': 'admin' }))}.${signature}`;
    await expect(signIn(forged)).rejects.toEqual(refusal('CREDENTIALS_INVALID'));
  });
});
