import { expect, it } from 'vitest';
import { claimsOf, TokenSource } from './token-source.ts';

const tokenOf = (claims: object): string =>
  `head.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;

const scripted = (answers: readonly (string | Error)[]) => {
  const left = [...answers];
  let asked = 0;
  const getToken = async (): Promise<string> => {
    asked += 1;
    const next = left.shift();
    if (typeof next === 'string') return next;
    throw next ?? new Error('asked too often');
  };
  return { getToken, asked: () => asked };
};

it('asks the page once for many requests, and again 30 s before the end of the token', async () => {
  let nowMs = 0;
  const first = tokenOf({ exp: 100 });
  const { getToken, asked } = scripted([first, 'second']);
  const tokens = new TokenSource({ token: undefined, getToken, nowMs: () => nowMs });
  expect(await Promise.all([tokens.current(), tokens.current()])).toEqual([first, first]);
  nowMs = 69_999;
  expect([await tokens.current(), asked()]).toEqual([first, 1]);
  nowMs = 70_000;
  expect([await tokens.current(), asked()]).toEqual(['second', 2]);
  tokens.drop();
  await expect(tokens.current()).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    reason: 'NO_TOKEN',
    message: 'the page gave no token: asked too often',
  });
});

it('asks again after the page failed', async () => {
  const { getToken } = scripted([new Error('offline'), 'late']);
  const tokens = new TokenSource({ token: undefined, getToken, nowMs: () => 0 });
  await expect(tokens.current()).rejects.toThrow('offline');
  expect(await tokens.current()).toBe('late');
});

it('uses what it was given, to the end', async () => {
  const given = tokenOf({ exp: 1 });
  const tokens = new TokenSource({ token: given, getToken: undefined, nowMs: () => 5_000 });
  expect([await tokens.current(), tokens.isUsed, tokens.canRenew]).toEqual([given, true, false]);
  const none = new TokenSource({ token: undefined, getToken: undefined, nowMs: () => 0 });
  expect([await none.current(), none.isUsed]).toEqual(['', false]);
});

it('reads where a token leads, as far as it says so', () => {
  const grant = { role: 'operator', namespace: 'acme', agent: 'hélp', session: 's1' };
  expect(claimsOf(tokenOf({ exp: 3, 'svc:grants': [grant] }))).toEqual({
    expiresAtMs: 3_000,
    namespace: 'acme',
    agent: 'hélp',
    session: 's1',
  });
  expect(claimsOf(tokenOf({}))).toEqual({ expiresAtMs: Infinity, namespace: '', agent: '', session: '' });
  expect(claimsOf('svc_1_secret')).toBe(undefined);
  expect(claimsOf('a.%%%.c')).toMatchObject({ namespace: '' });
});
