import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { type DeadlineEntry, DeadlineQueue } from './deadline-queue.ts';

test('expires entries in their order, each after the length of the queue, whatever was cancelled between', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ waitMs: fc.nat(40), cancelAfterMs: fc.option(fc.nat(200)) }), { maxLength: 30 }),
      (plan) => {
        const clock = new ManualClock();
        const queue = new DeadlineQueue(clock, 100);
        const expired: [number, number][] = [];
        const expected: [number, number][] = [];
        plan.forEach(({ waitMs, cancelAfterMs }, index) => {
          clock.advance(waitMs);
          const atMs = clock.monotonicMs();
          const entry: DeadlineEntry = queue.add({ expire: () => expired.push([index, clock.monotonicMs()]) }, atMs);
          if (cancelAfterMs === null || cancelAfterMs > 100) expected.push([index, atMs + 100]);
          if (cancelAfterMs !== null && cancelAfterMs !== 100) clock.after(cancelAfterMs, () => entry.cancel());
          else if (cancelAfterMs === 100) entry.cancel();
        });
        clock.advance(1000);
        expect(expired).toEqual(expected);
        expect(clock.pendingTimers).toBe(0);
      },
    ),
  );
});
