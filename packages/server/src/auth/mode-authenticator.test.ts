import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ManualClock } from '../base/index.ts';
import type { Caller } from './contract.ts';
import { type AuthConfig, ModeAuthenticator } from './mode-authenticator.ts';

const SECRET = 'a long enough secret of this test';
const clock = new ManualClock(1_750_000_000_000_000);
const now = 1_750_000_000;

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Everything a token needs; what is undefined is left out. */
const FULL = { sub: 'ann', aud: 'svc', exp: now + 60, 'svc:ns': 'acme', 'svc:role': 'viewer' };
/** Without the claims that give rights. */
const BARE = { 'svc:ns': undefined, 'svc:role': undefined };

const jwt = (claims: object, options: { readonly secret?: string; readonly header?: object } = {}): string => {
  const head = encode(options.header ?? { alg: 'HS256', typ: 'JWT' });
  const body = encode({ ...FULL, ...claims });
  const signature = createHmac('sha256', options.secret ?? SECRET)
    .update(`${head}.${body}`)
    .digest('base64url');
  return `${head}.${body}.${signature}`;
};

const config: AuthConfig = {
  modes: ['token', 'password', 'jwt'],
  token: 'the token of this test',
  password: 'the password of this test',
  jwt: { secret: SECRET, audience: 'svc', defaultGrants: [] },
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
    [{ 'svc:ns': 'acme', 'svc:role': 'admin' }, [{ role: 'admin', namespace: 'acme', readSecrets: false }]],
    [
      { 'svc:ns': 'acme', 'svc:agent': 'a', 'svc:session': 's', 'svc:role': 'viewer' },
      [{ role: 'viewer', namespace: 'acme', agent: 'a', session: 's', readSecrets: false }],
    ],
    [
      { 'svc:ns': 'acme', 'svc:channel': 'c', 'svc:role': 'operator' },
      [{ role: 'operator', namespace: 'acme', channel: 'c', readSecrets: false }],
    ],
    [{ 'svc:ns': '', 'svc:role': 'admin' }, [{ role: 'admin', namespace: '', readSecrets: false }]],
    [{ 'svc:ns': '*', 'svc:role': 'viewer' }, [{ role: 'viewer', readSecrets: false }]],
    [
      { 'svc:ns': 'ignored', 'svc:grants': [{ role: 'operator', namespace: 'b', channel: 'c', read_secrets: true }] },
      [{ role: 'operator', namespace: 'b', channel: 'c', readSecrets: true }],
    ],
    [{ 'svc:grants': [{ role: 'admin', readSecrets: true }] }, [{ role: 'admin', readSecrets: true }]],
    [{ role: 'admin', groups: ['x'] }, [{ role: 'viewer', namespace: 'acme', readSecrets: false }]],
  ])('with claims %o carry grants %o', (claims, grants) => {
    expect(bearer(jwt(claims)).grants).toEqual(grants);
  });
});

describe('a valid token is denied, and its claim named,', () => {
  it.each([
    ['nothing at all', BARE, ''],
    ['a role that is not prefixed', { ...BARE, role: 'admin' }, 'role'],
    ['grants that are not prefixed', { ...BARE, Grants: [{ role: 'admin' }] }, 'Grants'],
    ['a namespace that is not prefixed', { ...BARE, namespace: 'acme' }, 'namespace'],
    ['a misspelt namespace', { ...BARE, 'svc:namespace': 'acme', 'svc:role': 'admin' }, 'svc:namespace'],
    ['a misspelt claim beside good ones', { 'svc:namespace': 'acme' }, 'svc:namespace'],
    ['a claim in capitals', { 'SVC:ns': 'acme' }, 'SVC:ns'],
    ['an unknown claim', { 'svc:tenant': 'acme' }, 'svc:tenant'],
    ['an unknown claim beside grants', { 'svc:grants': [{ role: 'viewer' }], 'svc:scope': 'x' }, 'svc:scope'],
    ['no role', { 'svc:role': undefined }, 'svc:role'],
    ['a role that is null', { 'svc:role': null }, 'svc:role'],
    ['an unknown role', { 'svc:role': 'owner' }, 'svc:role'],
    ['a role and no scope', { 'svc:ns': undefined, 'svc:role': 'admin' }, 'svc:ns'],
    ['a scope that is no text', { 'svc:ns': 7 }, 'svc:ns'],
    ['a scope that is null', { 'svc:ns': null }, 'svc:ns'],
    ['an agent without its namespace', { 'svc:ns': undefined, 'svc:agent': 'a' }, 'svc:ns'],
    ['a session without its agent', { 'svc:session': 's' }, 'svc:agent'],
    ['everything, narrowed', { 'svc:ns': '*', 'svc:agent': 'a' }, 'svc:ns'],
    ['grants that are null', { 'svc:grants': null }, 'svc:grants'],
    ['grants that are no list', { 'svc:grants': 'x' }, 'svc:grants'],
    ['no grants in the list', { 'svc:grants': [] }, 'svc:grants'],
    ['too many grants', { 'svc:grants': Array.from({ length: 65 }, () => ({ role: 'viewer' })) }, 'svc:grants'],
    ['a grant that is no object', { 'svc:grants': [{ role: 'viewer' }, 'x'] }, 'svc:grants[1]'],
    ['a grant without a role', { 'svc:grants': [{ namespace: 'acme' }] }, 'svc:grants[0].role'],
    ['null in a grant', { 'svc:grants': [{ role: 'admin', namespace: null }] }, 'svc:grants[0].namespace'],
    ['a star in a grant', { 'svc:grants': [{ role: 'admin', namespace: '*' }] }, 'svc:grants[0].namespace'],
    ['a misspelt scope in a grant', { 'svc:grants': [{ role: 'admin', ns: 'acme' }] }, 'svc:grants[0].ns'],
    ['a scope without its outer one', { 'svc:grants': [{ role: 'admin', agent: 'a' }] }, 'svc:grants[0].namespace'],
    [
      'odd secrets in a grant',
      { 'svc:grants': [{ role: 'admin', read_secrets: 'yes' }] },
      'svc:grants[0].read_secrets',
    ],
  ])('with %s', (_case, claims, claim) => {
    const metadata = claim === '' ? {} : { claim };
    expect(() => bearer(jwt(claims))).toThrow(
      expect.objectContaining({ code: 'PERMISSION_DENIED', reason: 'SCOPE', metadata }),
    );
    expect(() => bearer(jwt(claims))).toThrow(claim === '' ? /svc:grants.*svc:ns/ : claim);
  });

  it.each([
    [{ ...BARE, role: 'admin' }, 'its claim "role" has no meaning here, did you mean "svc:role"?'],
    [{ 'svc:role': undefined, role: 'admin' }, 'its claim "role" has no meaning here, did you mean "svc:role"?'],
    [{ 'svc:session_id': 's' }, 'did you mean "svc:session"?'],
    [{ 'svc:tenant': 's' }, '(svc:ns, svc:agent, svc:session, svc:channel, svc:role, svc:grants)'],
  ])('with claims %o, and told what was meant', (claims, hint) => {
    expect(() => bearer(jwt(claims))).toThrow(hint);
  });

  it('unless defaults are configured for tokens without any claim of svc', () => {
    const defaultGrants = [{ role: 'viewer', namespace: 'guests', readSecrets: false }] as const;
    const open = { ...config, jwt: { secret: SECRET, audience: 'svc', defaultGrants } };
    const signIn = (claims: object): Caller => authenticate({ authorization: `Bearer ${jwt(claims)}` }, open);
    expect(signIn(BARE).grants).toEqual(defaultGrants);
    expect(signIn({}).grants).toEqual([{ role: 'viewer', namespace: 'acme', readSecrets: false }]);
    expect(() => signIn({ 'svc:ns': 'acme', 'svc:role': undefined })).toThrow('svc:role');
    expect(() => signIn({ ...BARE, 'svc:namespace': 'acme' })).toThrow('svc:namespace');
  });
});
