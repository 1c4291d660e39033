import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock, seededRandom } from '../../base/index.ts';
import { KeyQueue } from './key-queue.ts';

describe('a queue of keys', () => {
  let clock: ManualClock;
  let queue: KeyQueue<number>;
  let wakes: number;

  beforeEach(() => {
    clock = new ManualClock();
    wakes = 0;
    const notify = (): void => {
      wakes += 1;
    };
    queue = new KeyQueue({ clock, random: seededRandom(3), notify });
  });

  it('holds a key once, with its newest value', () => {
    queue.add('a', 1);
    queue.add('a', 2);
    expect(queue.take()).toEqual({ id: 'a', value: 2 });
    expect(queue.take()).toBeUndefined();
    expect(wakes).toBe(2);
  });

  it('gives a key that came again during its pass out after it', () => {
    queue.add('a', 1);
    queue.take();
    queue.add('a', 2);
    expect(queue.hasReady).toBe(false);
    queue.done('a');
    expect(queue.take()).toEqual({ id: 'a', value: 2 });
  });

  it('brings failed keys back with growing waits, and forgets them after a success', () => {
    const waits: number[] = [];
    const start = (): number => clock.monotonicMs();
    queue.add('a', 1);
    for (let round = 0; round < 4; round++) {
      queue.take();
      const since = start();
      queue.failed('a', 1);
      while (!queue.hasReady) clock.advance(10);
      waits.push(start() - since);
    }
    expect(waits).toEqual([...waits].sort((left, right) => left - right));
    expect(waits[3]).toBeGreaterThan(1_000);
    queue.take();
    queue.done('a');
    queue.add('a', 1);
    queue.take();
    queue.failed('a', 1);
    clock.advance(201);
    expect(queue.hasReady).toBe(true);
  });

  it('lets a change overtake a wait, but not a wait a change', () => {
    queue.addAfter('a', 1, 1_000);
    expect(queue.size).toBe(1);
    queue.add('a', 2);
    expect(clock.pendingTimers).toBe(0);
    queue.addAfter('a', 3, 1_000);
    expect(clock.pendingTimers).toBe(0);
    queue.take();
    queue.retry('a', 4, 50);
    clock.advance(50);
    expect(queue.take()).toEqual({ id: 'a', value: 4 });
  });

  it('leaves no timer when it is cleared', () => {
    queue.addAfter('a', 1, 1_000);
    queue.add('b', 1);
    queue.clear();
    expect([clock.pendingTimers, queue.size]).toEqual([0, 0]);
  });

  it('lets a key that keeps coming wait once, also during its pass and its retry', () => {
    queue.addWithin('a', 1, 250);
    clock.advance(200);
    queue.addWithin('a', 2, 250);
    clock.advance(50);
    expect(queue.take()).toEqual({ id: 'a', value: 1 });
    queue.addWithin('a', 3, 250);
    queue.retry('a', 4, 60_000);
    clock.advance(250);
    expect(queue.take()).toEqual({ id: 'a', value: 3 });
    queue.done('a');
    queue.addAfter('b', 1, 60_000);
    queue.addWithin('b', 2, 250);
    clock.advance(250);
    expect(queue.take()).toEqual({ id: 'b', value: 2 });
  });
});
