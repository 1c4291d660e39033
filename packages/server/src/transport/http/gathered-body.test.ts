import { describe, expect, test } from 'vitest';
import { GatheredBody } from './gathered-body.ts';

const gather = (...pieces: readonly string[]): string => {
  const body = new GatheredBody(1_000_000);
  for (const piece of pieces) body.add(Buffer.from(piece));
  expect(body.size).toBe(pieces.join('').length);
  return body.whole().toString();
};

describe('a body in pieces', () => {
  test.each([0, 1, 2, 1023, 1024, 1025, 5000])('of %i bytes that come one by one is whole', (count) => {
    const digits = Array.from({ length: count }, (_, index) => String(index % 10));
    expect(gather(...digits)).toBe(digits.join(''));
  });

  test.each([undefined, '0', '700000', '1000000', 'nonsense'])(
    'of more than a room is whole, whatever size was declared: %s',
    (declared) => {
      const body = new GatheredBody(3_000_000, declared);
      const pieces = Array.from({ length: 70 }, (_, index) => Buffer.alloc(30_000, index));
      for (const piece of pieces) body.add(piece);
      expect(body.size).toBe(2_100_000);
      expect(body.whole().equals(Buffer.concat(pieces))).toBe(true);
    },
  );

  test('that is larger than it may be is counted, and kept no more: it is refused', () => {
    const body = new GatheredBody(1_000_000);
    body.add(Buffer.alloc(900_000, 'a'));
    expect(body.whole().length).toBe(900_000);
    body.add(Buffer.alloc(200_000, 'b'));
    expect([body.size, body.whole().length]).toEqual([1_100_000, 0]);
  });

  test('may have empty pieces', () => expect(gather('', 'ab', '', 'c', '')).toBe('abc'));

  test('that came as one is not copied', () => {
    const piece = Buffer.from('one');
    const body = new GatheredBody(1_000_000);
    body.add(piece);
    expect(body.whole()).toBe(piece);
  });
});
