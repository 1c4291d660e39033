import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { createIds, idsAfter, isUuidV7, leastIdAt } from './ids.ts';
import { seededRandom } from './random.ts';

describe('idsAfter', () => {
  it('continues above the last id when the clock steps back an hour', () => {
    const clock = new ManualClock();
    const before = createIds(clock, seededRandom(1)).next();
    clock.stepWallClock(-3_600_000);
    const restarted = createIds(clock, seededRandom(2));
    const [one, two] = idsAfter(restarted, before, 2);
    expect(one && one > before).toBe(true);
    expect(one && two && two > one).toBe(true);
    expect(one).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('uses fresh ids as they are when they lie above', () => {
    const clock = new ManualClock();
    const ids = createIds(clock, seededRandom(1));
    const last = ids.next();
    expect(idsAfter(ids, last, 3).every((id) => id > last)).toBe(true);
  });
});

it('leastIdAt parts ids by their time', () => {
  const clock = new ManualClock();
  const ids = createIds(clock, seededRandom(1));
  const before = ids.next();
  clock.advance(1);
  const bound = leastIdAt(Math.floor(clock.nowMicros() / 1_000));
  expect([before < bound, ids.next() > bound, isUuidV7(bound)]).toEqual([true, true, true]);
});
