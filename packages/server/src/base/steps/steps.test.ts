import { expect, it } from 'vitest';
import { atOnce, inTurns, type Steps } from './steps.ts';

function* counted(steps: number, seen: number[]): Steps<string> {
  for (let step = 0; step < steps; step++) {
    seen.push(step);
    yield;
  }
  return 'end';
}

it('work runs at once, or in turns between which others run', async () => {
  const seen: number[] = [];
  expect(atOnce(counted(3, seen))).toBe('end');
  expect(seen).toEqual([0, 1, 2]);
  const later: number[] = [];
  const between: number[] = [];
  const watch = (): void => {
    between.push(later.length);
    if (later.length < 5) setImmediate(watch);
  };
  setImmediate(watch);
  expect(await inTurns(counted(5, later), 2)).toBe('end');
  expect(later).toEqual([0, 1, 2, 3, 4]);
  expect(between).toContain(2);
  expect(between).toContain(4);
});

it('work that fails fails where it is run', async () => {
  function* failing(): Steps<void> {
    yield;
    throw new Error('no');
  }
  expect(() => atOnce(failing())).toThrow('no');
  await expect(inTurns(failing(), 1)).rejects.toThrow('no');
});
