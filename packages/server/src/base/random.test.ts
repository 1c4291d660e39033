import { describe, expect, it } from 'vitest';
import { seededRandom, systemRandom } from './random.ts';

describe('systemRandom', () => {
  it('gives numbers in [0, 1) and fills what it is handed', () => {
    const numbers = Array.from({ length: 100 }, () => systemRandom.next());
    expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
    expect(new Set(numbers).size).toBeGreaterThan(90);
    const bytes = new Uint8Array(64);
    expect(systemRandom.fill(bytes)).toBe(bytes);
    expect(bytes.some((byte) => byte !== 0)).toBe(true);
  });
});

describe('seededRandom', () => {
  it('repeats its sequence for the same seed', () => {
    const [one, two] = [seededRandom(3), seededRandom(3)];
    expect([one.next(), one.next(), ...one.fill(new Uint8Array(4))]).toEqual([
      two.next(),
      two.next(),
      ...two.fill(new Uint8Array(4)),
    ]);
    expect(seededRandom(4).next()).not.toBe(seededRandom(3).next());
  });
});
