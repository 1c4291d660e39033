import { beforeEach, expect, it } from 'vitest';
import { Fault, ManualClock } from '../base/index.ts';
import type { Authenticator, Caller } from './contract.ts';
import { LimitedAuthenticator, ModeAuthenticator } from './index.ts';

const TOKEN = 'the token of this test';
const LIMIT = 3;
let clock: ManualClock;
let authenticator: Authenticator;

const open = (trustProxy = false): void => {
  const inner = new ModeAuthenticator({ modes: ['token'], token: TOKEN }, clock, [
    (token) => {
      if (token === 'old') throw new Fault('UNAUTHENTICATED', 'CREDENTIALS_EXPIRED', 'expired');
      return undefined;
    },
    (token) =>
      token === 'slow' ? Promise.reject(new Fault('UNAUTHENTICATED', 'CREDENTIALS_INVALID', 'not valid')) : undefined,
  ]);
  authenticator = new LimitedAuthenticator(inner, { failures: LIMIT, trustProxy, clock });
};

beforeEach(() => {
  clock = new ManualClock();
  open();
});

/** What became of a call at this moment: the reason of its refusal, `held back`, or the mode it signed in with. */
const outcomeOf = async (token: string, peerAddress = '192.0.2.1', forwarded?: string): Promise<string> => {
  const headers: Readonly<Record<string, string | undefined>> = {
    authorization: `Bearer ${token}`,
    'x-forwarded-for': forwarded,
  };
  const call = async (): Promise<Caller> =>
    authenticator.authenticate({ header: (name) => headers[name], peerAddress });
  const ended = call().then(
    ({ mode }) => mode,
    (error: Fault) => error.reason,
  );
  const turn = new Promise<string>((resolve) => setImmediate(resolve, 'held back'));
  return Promise.race([ended, turn]);
};

const outcomes = async (count: number, ...call: Parameters<typeof outcomeOf>): Promise<readonly string[]> => {
  const found: string[] = [];
  for (let index = 0; index < count; index++) found.push(await outcomeOf(...call));
  return found;
};

const INVALID = 'CREDENTIALS_INVALID';

it('answers wrong credentials at once up to the limit, then later, then not for a minute', async () => {
  expect(await outcomes(8, 'wrong')).toEqual([
    INVALID,
    INVALID,
    INVALID,
    'held back',
    'held back',
    'held back',
    'SIGN_IN_LIMIT',
    'SIGN_IN_LIMIT',
  ]);
  clock.advance(59_999);
  expect(await outcomeOf('wrong')).toBe('SIGN_IN_LIMIT');
  clock.advance(1);
  expect(await outcomeOf('wrong')).toBe(INVALID);
});

it('gives a refusal that was held back after a second', async () => {
  await outcomes(LIMIT, 'wrong');
  const held = Promise.resolve(
    authenticator.authenticate({ header: () => 'Bearer wrong', peerAddress: '192.0.2.1' }),
  ).catch((error: Fault) => error.reason);
  clock.advance(1_000);
  expect(await held).toBe(INVALID);
});

it('tells how long the refusal lasts', async () => {
  await outcomes(2 * LIMIT + 1, 'wrong');
  clock.advance(20_000);
  expect(() => authenticator.authenticate({ header: () => 'Bearer wrong', peerAddress: '192.0.2.1' })).toThrow(
    expect.objectContaining({
      code: 'RESOURCE_EXHAUSTED',
      retryAfterMs: 40_000,
      message: 'too many failed sign-ins from this address; check the credential and try again in 40 s',
    }),
  );
});

it('never refuses or delays a valid credential', async () => {
  await outcomes(50, 'wrong');
  expect(await outcomeOf(TOKEN)).toBe('token');
});

it('counts each address by itself, and networks of IPv6 as one', async () => {
  await outcomes(50, 'wrong');
  expect(await outcomeOf('wrong', '192.0.2.2')).toBe(INVALID);
  await outcomes(50, 'wrong', '2001:db8:0:1::1');
  expect(await outcomeOf('wrong', '2001:0db8::1:ffff:0:0:2')).toBe('SIGN_IN_LIMIT');
  expect(await outcomeOf('wrong', '2001:db8:0:2::1')).toBe(INVALID);
  await outcomes(50, 'wrong', '::ffff:192.0.2.9');
  expect(await outcomeOf('wrong', '::ffff:192.0.2.8')).toBe(INVALID);
});

it('counts the address that a trusted proxy saw, and no other that a client claims', async () => {
  await outcomes(50, 'wrong', '192.0.2.1', '198.51.100.7');
  expect(await outcomeOf('wrong', '192.0.2.1', '198.51.100.8')).toBe('SIGN_IN_LIMIT');
  open(true);
  await outcomes(50, 'wrong', '192.0.2.1', '203.0.113.1, 198.51.100.7');
  expect(await outcomeOf('wrong', '192.0.2.1', '203.0.113.2, 198.51.100.7')).toBe('SIGN_IN_LIMIT');
  expect(await outcomeOf('wrong', '192.0.2.1', '203.0.113.1, 198.51.100.8')).toBe(INVALID);
});

it('counts credentials that take a while to check, and not those that were valid once', async () => {
  await outcomes(50, 'old');
  expect(await outcomeOf('wrong')).toBe(INVALID);
  clock.advance(60_000);
  await outcomes(2 * LIMIT, 'slow');
  expect(await outcomeOf('slow')).toBe('SIGN_IN_LIMIT');
});

it('holds back a bounded number of answers', async () => {
  const spread = (index: number): string => `198.51.${index >> 8}.${index & 255}`;
  for (let index = 0; index < 400; index++) await outcomes(LIMIT, 'wrong', spread(index));
  const held: string[] = [];
  for (let index = 0; index < 400; index++) held.push(...(await outcomes(LIMIT, 'wrong', spread(index))));
  expect(held.filter((outcome) => outcome === 'held back')).toHaveLength(1_000);
  expect(held.filter((outcome) => outcome === 'SIGN_IN_LIMIT')).toHaveLength(200);
});
