import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../base/index.ts';
import type { Caller } from './contract.ts';
import { type AuthConfig, ModeAuthenticator } from './mode-authenticator.ts';

const SECRET = 'a long enough secret of this test';
const clock = new ManualClock(1_750_000_000_000_000);
const now = 1_750_000_000;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const jwt = (claims: object, options: { readonly secret?: string; readonly header?: object } = {}): string => {
  const head = encode(options.header ?? { alg: 'HS256', typ: 'JWT' });
  const body = encode({ sub: 'ann', aud: 'svc', exp: now + 60, ...claims });
  const signature = createHmac('sha256', options.secret ?? SECRET)
    .update(`${head}.${body}`)
    .digest('base64url');
  return `${head}.${body}.${signature}`;
};

const config: AuthConfig = {
  modes: ['token', 'password', 'jwt'],
  token: 'the token of this test',
  password: 'the password of this test',
  jwt: { secret: SECRET, audience: 'svc' },
};

const authenticate = (headers: Readonly<Record<string, string>>, used = config): Caller => {
  const authenticator = new ModeAuthenticator(used, clock, [
    (token) => (token === 'svc_key' ? { identity: 'key:1', subject: 'key', mode: 'api-key', grants: [] } : undefined),
  ]);
  return authenticator.authenticate({ header: (name) => headers[name] }) as Caller;
};
const bearer = (token: string): Caller => authenticate({ authorization: `Bearer ${token}` });

describe('credentials', () => {
  it('are not asked for in mode none', () => {
    const caller = authenticate({}, { modes: ['none'] });
    expect(caller).toMatchObject({
      identity: 'anonymous',
      mode: 'none',
      grants: [{ role: 'admin', readSecrets: true }],
    });
  });

  it('of every mode are recognised, with scheme words in any case', () => {
    expect(authenticate({ authorization: 'BEARER the token of this test' }).mode).toBe('token');
    const basic = Buffer.from('any:the password of this test').toString('base64');
    expect(authenticate({ authorization: `basic ${basic}` }).mode).toBe('password');
    expect(bearer(jwt({})).mode).toBe('jwt');
    expect(bearer('svc_key').mode).toBe('api-key');
    expect(authenticate({ 'x-api-key': 'svc_key' }).mode).toBe('api-key');
  });

  it.each([
    [{}, 'CREDENTIALS_MISSING'],
    [{ authorization: 'Bearer wrong' }, 'CREDENTIALS_INVALID'],
    [{ authorization: 'Digest x' }, 'CREDENTIALS_INVALID'],
    [{ authorization: 'Bearer' }, 'CREDENTIALS_INVALID'],
    [{ authorization: 'Basic !!!' }, 'CREDENTIALS_INVALID'],
    [{ authorization: `Basic ${Buffer.from('u:wrong').toString('base64')}` }, 'CREDENTIALS_INVALID'],
    [{ 'x-api-key': 'unknown' }, 'CREDENTIALS_INVALID'],
  ])('%o are refused as %s', (headers, reason) => {
    expect(() => authenticate(headers)).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED', reason }));
  });
});

describe('signed tokens', () => {
  it.each([
    ['expired', jwt({ exp: now - 31 }), 'CREDENTIALS_EXPIRED'],
    ['without exp', jwt({ exp: undefined }), 'CREDENTIALS_INVALID'],
    ['without sub', jwt({ sub: '' }), 'CREDENTIALS_INVALID'],
    ['for another audience', jwt({ aud: 'other' }), 'CREDENTIALS_INVALID'],
    ['not valid yet', jwt({ nbf: now + 31 }), 'CREDENTIALS_INVALID'],
    ['of another secret', jwt({}, { secret: 'another' }), 'CREDENTIALS_INVALID'],
    [
      'with algorithm none',
      `${encode({ alg: 'none' })}.${encode({ sub: 'a', aud: 'svc', exp: now + 9 })}.`,
      'CREDENTIALS_INVALID',
    ],
    ['with another algorithm', jwt({}, { header: { alg: 'RS256' } }), 'CREDENTIALS_INVALID'],
    ['that are no JSON', `${encode('x')}.e30.AA`, 'CREDENTIALS_INVALID'],
    ['with broken parts', '_w.e30.AA', 'CREDENTIALS_INVALID'],
    ['with an unknown role', jwt({ 'svc:role': 'owner' }), 'CREDENTIALS_INVALID'],
    ['with a scope that is no text', jwt({ 'svc:ns': 7 }), 'CREDENTIALS_INVALID'],
    ['with a scope that is null', jwt({ 'svc:ns': null }), 'CREDENTIALS_INVALID'],
    ['with a role that is null', jwt({ 'svc:ns': 'acme', 'svc:role': null }), 'CREDENTIALS_INVALID'],
    ['with a null in a grant', jwt({ 'svc:grants': [{ role: 'admin', namespace: null }] }), 'CREDENTIALS_INVALID'],
    ['with grants that are none', jwt({ 'svc:grants': ['x'] }), 'CREDENTIALS_INVALID'],
    ['with too odd grants', jwt({ 'svc:grants': 'x' }), 'CREDENTIALS_INVALID'],
    [
      'with an odd read_secrets',
      jwt({ 'svc:grants': [{ role: 'admin', read_secrets: 'yes' }] }),
      'CREDENTIALS_INVALID',
    ],
    ['with a misspelt scope', jwt({ 'svc:grants': [{ role: 'admin', ns: 'acme' }] }), 'CREDENTIALS_INVALID'],
    ['with critical extensions', jwt({}, { header: { crit: ['b64'], b64: false } }), 'CREDENTIALS_INVALID'],
  ])('%s are refused', (_case, token, reason) => {
    expect(() => bearer(token)).toThrow(expect.objectContaining({ reason }));
  });

  it('bear 30 seconds of skew and end the caller with them', () => {
    expect(bearer(jwt({ exp: now - 29, nbf: now + 29 })).expiresAt).toBe((now + 1) * 1_000_000);
  });

  it.each([1e11, 1e18, 1e300])('that end %d seconds after 1970 end with the numbers that are exact', (exp) => {
    expect(bearer(jwt({ exp })).expiresAt).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('hide the subject in the identity', () => {
    expect(bearer(jwt({ aud: ['x', 'svc'] }))).toMatchObject({
      subject: 'ann',
      identity: expect.stringMatching(/^sub:[0-9a-f]{64}$/),
    });
  });

  it.each([
    [{}, [{ role: 'admin', readSecrets: true }]],
    [{ 'svc:ns': 'acme' }, [{ role: 'admin', namespace: 'acme', readSecrets: false }]],
    [
      { 'svc:ns': 'acme', 'svc:agent': 'a', 'svc:session': 's', 'svc:role': 'viewer' },
      [{ role: 'viewer', namespace: 'acme', agent: 'a', session: 's', readSecrets: false }],
    ],
    [{ 'svc:ns': '' }, [{ role: 'admin', namespace: '', readSecrets: false }]],
    [{ 'svc:role': 'viewer' }, [{ role: 'viewer', readSecrets: false }]],
    [
      { 'svc:ns': 'ignored', 'svc:grants': [{ role: 'operator', namespace: 'b', channel: 'c', read_secrets: true }] },
      [{ role: 'operator', namespace: 'b', channel: 'c', readSecrets: true }],
    ],
  ])('with claims %o carry grants %o', (claims, grants) => {
    expect(bearer(jwt(claims)).grants).toEqual(grants);
  });
});
