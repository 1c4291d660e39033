import { describe, expect, it } from 'vitest';
import { belongsTo, challengeOf, claimsOf, renewalWait, secretText, tokenFor } from './token-rules.ts';

/** A token with these claims and no signature to speak of. */
const token = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

describe('claimsOf', () => {
  it('reads what a token says, in any script', () => {
    expect(claimsOf(token({ sub: 'Zoë ☂', aud: 'svc' }))).toEqual({ sub: 'Zoë ☂', aud: 'svc' });
  });

  it.each(['', 'opaque', 'a.b', 'a.%%.c', 'a.bm9uZQ.c', 'a.MQ.c'])('knows nothing of %j', (text) => {
    expect(claimsOf(text)).toBeUndefined();
  });
});

describe('tokenFor', () => {
  const [access, id] = [token({ aud: ['api', 'svc'] }), token({ aud: 'console' })];

  it('takes the one that names the audience', () => {
    expect(tokenFor({ access_token: access, id_token: id }, 'svc')).toBe(access);
    expect(tokenFor({ access_token: access, id_token: id }, 'console')).toBe(id);
    expect(tokenFor({ access_token: 'opaque', id_token: id }, 'console')).toBe(id);
  });

  it('takes none that is for somebody else', () => {
    expect(tokenFor({ access_token: access, id_token: id }, 'other')).toBeUndefined();
    expect(tokenFor({}, 'svc')).toBeUndefined();
  });
});

it('an ID token belongs to the sign-in that its issuer, client and nonce name', () => {
  const own = { issuer: 'https://id.test', clientId: 'console', nonce: 'n1' };
  const claims = { iss: 'https://id.test', aud: ['other', 'console'], nonce: 'n1' };
  expect(belongsTo(token(claims), own)).toBe(true);
  for (const other of [{ iss: 'https://id.test/' }, { aud: ['other'] }, { aud: undefined }, { nonce: 'n2' }])
    expect(belongsTo(token({ ...claims, ...other }), own)).toBe(false);
  expect(belongsTo('opaque', own)).toBe(false);
});

it.each([
  [3_600_000, 3_540_000],
  [120_000, 60_000],
  [60_000, 30_000],
  [10, 5],
  [-1, 0],
  [10_000_000_000, 2_147_483_647],
])('a token that ends in %i ms is renewed after %i ms', (left, wait) => {
  expect(renewalWait(left)).toBe(wait);
});

it('the challenge is that of the example in RFC 7636, appendix B', async () => {
  expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

it('a secret text is long, new each time and fits into an address', () => {
  expect(secretText()).toMatch(/^[\w-]{43}$/);
  expect(secretText()).not.toBe(secretText());
});
