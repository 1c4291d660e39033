import { expect, it } from 'vitest';
import { ManualClock } from '../base/index.ts';
import { governMemory } from './memory-governor.ts';

it('spares memory above its mark and stops doing so only well below it', () => {
  const clock = new ManualClock();
  const flags: string[] = [];
  let mib = 100;
  const stop = governMemory(clock, { rssBytes: () => mib * 1024 * 1024, setFlag: (flag) => flags.push(flag) });
  for (const next of [255, 300, 400, 210, 199, 120]) {
    mib = next;
    clock.advance(1000);
  }
  expect(flags).toEqual(['--heap-growing-percent=25', '--heap-growing-percent=0']);
  stop();
  expect(clock.pendingTimers).toBe(0);
});
