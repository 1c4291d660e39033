import { expect, it } from 'vitest';
import { timeScale } from './time-scale.ts';

it('is linear over one span', () => {
  const scale = timeScale([{ startMs: 1_000, endMs: 3_000 }]);
  expect([1_000, 1_500, 3_000].map(scale)).toEqual([0, 0.25, 1]);
});

it('draws a long pause short', () => {
  const scale = timeScale([
    { startMs: 0, endMs: 100 },
    { startMs: 1_000_000, endMs: 1_000_100 },
  ]);
  // 200 ms of work and a pause that is drawn as 4 ms.
  expect(scale(100)).toBeCloseTo(100 / 204);
  expect(scale(1_000_000)).toBeCloseTo(104 / 204);
  expect(scale(500_000)).toBeGreaterThan(scale(100));
  expect(scale(1_000_100)).toBe(1);
});

it('keeps a short pause as it was', () => {
  const scale = timeScale([
    { startMs: 0, endMs: 100 },
    { startMs: 101, endMs: 199 },
  ]);
  expect(scale(101)).toBeCloseTo(101 / 199);
});

it('joins spans that overlap, in any order', () => {
  const scale = timeScale([
    { startMs: 50, endMs: 200 },
    { startMs: 0, endMs: 100 },
  ]);
  expect(scale(100)).toBe(0.5);
});

it('stays on the axis for moments outside of it, and without any span', () => {
  const scale = timeScale([{ startMs: 10, endMs: 20 }]);
  expect([scale(0), scale(99)]).toEqual([0, 1]);
  expect(timeScale([])(5)).toBe(0);
});
