import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';
import { BoundedCache } from './bounded-cache.ts';
import { parseDurationMs } from './duration.ts';
import { seededRandom } from './random.ts';

type Plain = readonly (readonly [key: number, value: number])[];

/** Entries by age after a step, at most four of them with a weight of nine. */
const after = (plain: Plain, step: string, [key, value]: Plain[number]): Plain => {
  const known = plain.filter(([other]) => other === key);
  const others = plain.filter(([other]) => other !== key);
  const renewed = step === 'get' ? known : [[key, value] as const].filter(() => step === 'set');
  const kept = step === 'set' ? others.slice(-3) : others;
  let left: Plain = [...kept, ...renewed];
  while (left.reduce((sum, [, weight]) => sum + weight, 0) > 9) left = left.slice(1);
  return left;
};

describe('a bounded cache', () => {
  it('forgets what was used least recently', () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set('a', 1);
    cache.set('b', 2);
    expect(cache.get('a')).toBe(1);
    cache.set('c', 3);
    expect(cache.get('b')).toBeUndefined();
    expect([cache.get('a'), cache.get('c'), cache.size]).toEqual([1, 3, 2]);
  });

  it('replaces and deletes entries', () => {
    const cache = new BoundedCache<string, number>(2);
    cache.set('a', 1);
    cache.set('a', 2);
    expect(cache.get('a')).toBe(2);
    cache.delete('a');
    expect(cache.size).toBe(0);
  });

  it('keeps no more than its weight allows, whatever the number of entries', () => {
    const cache = new BoundedCache<string, string>(100, { limit: 10, of: (text) => text.length });
    cache.set('a', 'xxxx');
    cache.set('b', 'xxxx');
    expect(cache.get('a')).toBe('xxxx');
    cache.set('c', 'xxxx');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['xxxx', undefined, 'xxxx']);
    cache.set('c', 'x');
    cache.set('d', 'xxxxx');
    expect(cache.size).toBe(3);
    cache.delete('a');
    cache.set('e', 'xxxx');
    expect([cache.get('c'), cache.get('d'), cache.get('e')]).toEqual(['x', 'xxxxx', 'xxxx']);
    cache.set('too heavy', 'x'.repeat(11));
    expect([cache.get('too heavy'), cache.size]).toEqual([undefined, 0]);
  });

  it('does what a plain list of entries by age does', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('get', 'set', 'delete'), fc.nat(5), fc.nat(4)), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (given) => {
        const cache = new BoundedCache<number, number>(4, { limit: 9, of: (value) => value });
        let plain: Plain = [];
        for (const [step, key, value] of given) {
          if (step === 'get') expect(cache.get(key)).toBe(plain.find(([other]) => other === key)?.[1]);
          if (step === 'set') cache.set(key, value);
          if (step === 'delete') cache.delete(key);
          plain = after(plain, step, [key, value]);
          expect(cache.size).toBe(plain.length);
        }
        expect(plain.map(([key]) => cache.get(key))).toEqual(plain.map(([, value]) => value));
      }),
    );
  });

  it('of no size keeps the newest entry only', () => {
    const cache = new BoundedCache<string, number>(0);
    cache.set('a', 1);
    expect(cache.get('a')).toBe(1);
  });
});

describe('a backoff', () => {
  it('doubles up to its cap', () => {
    const rule = { firstMs: 100, factor: 2, capMs: 1000, jitter: 0 };
    expect([1, 2, 3, 9].map((attempt) => backoffMs(rule, attempt, seededRandom(1)))).toEqual([100, 200, 400, 1000]);
  });

  it('spreads waits within its jitter', () => {
    const random = seededRandom(7);
    const rule = { firstMs: 100, factor: 2, capMs: 1000, jitter: 0.5 };
    for (let index = 0; index < 50; index++) {
      const wait = backoffMs(rule, 1, random);
      expect(wait).toBeGreaterThanOrEqual(50);
      expect(wait).toBeLessThanOrEqual(100);
    }
  });
});

describe('a duration', () => {
  it.each([
    ['250ms', 250],
    ['10s', 10_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['7d', 604_800_000],
    ['', undefined],
    ['5', undefined],
    ['-1s', undefined],
    ['1w', undefined],
  ])('written %s is %s ms', (text, expected) => {
    expect(parseDurationMs(text)).toBe(expected);
  });
});
