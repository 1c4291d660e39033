import { describe, expect, it } from 'vitest';
import { challengeOf, claimsOf, secretText, tokenFor } from './token-rules.ts';

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

it('the challenge is that of the example in RFC 7636, appendix B', async () => {
  expect(await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  );
});

it('a secret text is long, new each time and fits into an address', () => {
  expect(secretText()).toMatch(/^[\w-]{43}$/);
  expect(secretText()).not.toBe(secretText());
});
