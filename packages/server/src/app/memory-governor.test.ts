import { expect, it } from 'vitest';
import { guardedClock, ManualClock } from '../base/index.ts';
import { governMemory } from './memory-governor.ts';

it('continues when reading the memory fails for a while', () => {
  const manual = new ManualClock();
  const failures: unknown[] = [];
  const flags: string[] = [];
  const noFile = new Error('EMFILE: too many open files');
  let isFailing = false;
  const rssBytes = (): number => {
    if (isFailing) throw noFile;
    return 300 * 1024 * 1024;
  };
  const clock = guardedClock(manual, (error) => failures.push(error));
  const stop = governMemory(clock, { rssBytes, setFlag: (flag) => flags.push(flag) });
  isFailing = true;
  manual.advance(3000);
  expect(failures).toEqual([noFile, noFile, noFile]);
  isFailing = false;
  manual.advance(1000);
  expect([failures.length, flags, manual.pendingTimers]).toEqual([3, ['--heap-growing-percent=25'], 1]);
  stop();
});

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
