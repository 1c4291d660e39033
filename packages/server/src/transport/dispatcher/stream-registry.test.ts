import { expect, test } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { StreamRegistry } from './stream-registry.ts';

test('keeps every stream alive once in 15 s with one timer, and none when nothing is open', () => {
  const clock = new ManualClock();
  const registry = new StreamRegistry(clock);
  const beats = new Map<number, number>();
  const streams = Array.from({ length: 40 }, (_, index) => ({
    keepAlive: () => beats.set(index, (beats.get(index) ?? 0) + 1),
    shutDown: () => registry.delete(streams[index]!),
  }));
  for (const stream of streams) {
    registry.add(stream);
    clock.advance(400);
  }
  expect(clock.pendingTimers).toBe(1);
  beats.clear();
  clock.advance(150_000);
  expect([...beats.values()]).toEqual(Array.from({ length: 40 }, () => 10));
  registry.shutDown();
  expect([registry.size, clock.pendingTimers]).toEqual([0, 0]);
});
