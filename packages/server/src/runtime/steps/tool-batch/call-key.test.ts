import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { idempotencyKey, placeOfCall, toolCallId } from './index.ts';

const turnId = '0197a1b2-c3d4-7e5f-8a6b-112233445566';

describe('call keys', () => {
  it('names a call by turn tail, step and index', () => {
    expect(toolCallId({ turnId, step: 2, index: 0 })).toBe('call_112233445566_2_0');
  });

  it('finds the place of its own ids and of no others', () => {
    const place = { turnId, step: 12, index: 3 };
    expect(placeOfCall(turnId, toolCallId(place))).toEqual(place);
    expect(placeOfCall('0197a1b2-c3d4-7e5f-8a6b-aaaaaaaaaaaa', toolCallId(place))).toBeUndefined();
    expect(placeOfCall(turnId, 'call_112233445566_02_0')).toBeUndefined();
    expect(placeOfCall(turnId, 'toolu_1')).toBeUndefined();
  });

  it('derives the same key for every run of a call and another for every other call (R6)', () => {
    const key = idempotencyKey({ turnId, step: 1, index: 0 });
    expect(key).toMatch(/^[a-z2-7]{52}$/);
    expect(idempotencyKey({ turnId, step: 1, index: 0 })).toBe(key);
    const others = [idempotencyKey({ turnId, step: 11, index: 0 }), idempotencyKey({ turnId, step: 1, index: 10 })];
    expect(new Set([key, ...others]).size).toBe(3);
  });

  it('writes the digest in base32', () => {
    const digest = createHash('sha256').update(`${turnId}\n1\n0`).digest();
    const bits = [...digest]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .padEnd(260, '0');
    const expected = (bits.match(/.{5}/g) ?? []).map(
      (five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five, 2)],
    );
    expect(idempotencyKey({ turnId, step: 1, index: 0 })).toBe(expected.join(''));
  });
});
