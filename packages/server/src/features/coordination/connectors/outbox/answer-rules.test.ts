import { describe, expect, it } from 'vitest';
import { type DeliveryAnswer, judgeAnswer, keptError, retryAfterMs } from './answer-rules.ts';

const NOW = Date.UTC(2026, 0, 1) * 1_000;
const judge = (status: number, body?: object, retryAfter = '') =>
  judgeAnswer({ status, body, retryAfter } as DeliveryAnswer, NOW);

describe('the answer of a connector service', () => {
  it.each<readonly [number, object | undefined, string]>([
    [200, { accepted: true, disposition: 'rejected' }, 'delivered'],
    [202, { disposition: 'accepted' }, 'delivered'],
    [200, { disposition: 'duplicate' }, 'delivered'],
    [500, { disposition: 'duplicate' }, 'delivered'],
    [200, { accepted: false, disposition: 'accepted' }, 'reject'],
    [503, { disposition: 'rejected', error: 'no' }, 'reject'],
    [200, { accepted: 'yes' }, 'retry'],
    [200, {}, 'retry'],
    [204, undefined, 'retry'],
    [100, undefined, 'retry'],
    [408, undefined, 'retry'],
    [425, undefined, 'retry'],
    [429, undefined, 'retry'],
    [599, undefined, 'retry'],
    [401, undefined, 'retry'],
    [403, { accepted: true }, 'retry'],
    [301, undefined, 'reject'],
    [400, { accepted: true }, 'reject'],
  ])('%i %j is %s', (status, body, expected) => {
    expect(judge(status, body).do).toBe(expected);
  });

  it('says what is wrong, in one line of bounded length', () => {
    expect(judge(404, { error: ' a\n b ' })).toEqual({ do: 'reject', error: 'HTTP_404: a b' });
    expect(judge(401)).toMatchObject({ error: 'HTTP_401', isUnauthorized: true, isUnregistered: false });
    expect(judge(410, { disposition: 'unregistered', error: 'who?' })).toMatchObject({
      error: 'who?',
      isUnregistered: true,
    });
    expect(judge(410, { disposition: 'unregistered' })).toMatchObject({
      error: 'the service does not know the registration',
    });
    expect(judgeAnswer({ failed: 'TIMEOUT' }, NOW)).toMatchObject({ do: 'retry', error: 'TIMEOUT', afterMs: 0 });
    expect(keptError('x'.repeat(600))).toHaveLength(500);
    expect(keptError(`${'x'.repeat(499)}😀`)).toBe(`${'x'.repeat(499)}\ufffd`);
  });

  it('asks for a wait in seconds or until a date, at most an hour', () => {
    expect(judge(429, undefined, '7')).toMatchObject({ afterMs: 7_000 });
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', NOW)).toBe(30_000);
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', NOW + 123_457)).toBe(29_877);
    expect(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', NOW)).toBe(0);
    expect(retryAfterMs('86400', NOW)).toBe(3_600_000);
    expect(['', 'soon', '-1'].map((text) => retryAfterMs(text, NOW))).toEqual([0, 0, expect.any(Number)]);
  });
});
