import { constants, type PerformanceNodeEntry, PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';
import { expect, it, vi } from 'vitest';
import { processMemory } from './process-memory.ts';

const MIB = 1024 * 1024;
/** Room for a busy machine. */
const PATIENT = { timeout: 30_000 };

it('gives back large buffers that nothing holds any more, and tells of the collection', async () => {
  const memory = processMemory();
  const collected = vi.fn();
  const stop = memory.onCollection(collected);
  /** Why V8 collected, each time: a constant of Node.js. */
  const seen: number[] = [];
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as PerformanceNodeEntry[]) seen.push(detail.flags);
  });
  observer.observe({ entryTypes: ['gc'] });
  let held: Buffer | undefined = Buffer.alloc(64 * MIB, 1);
  const buffer = new WeakRef(held);
  // Includes what earlier tests of this process left behind, which V8 may free at any time.
  const most = process.memoryUsage().arrayBuffers;
  memory.collect();
  await vi.waitFor(() => expect(seen).toContain(constants.NODE_PERFORMANCE_GC_FLAGS_FORCED), PATIENT);
  expect(collected).toHaveBeenCalled();
  expect(buffer.deref() === held).toBe(true);
  expect(process.memoryUsage().arrayBuffers).toBeGreaterThanOrEqual(held.length);
  held = undefined;
  await vi.waitFor(() => {
    memory.collect();
    expect(buffer.deref() === undefined).toBe(true);
    expect(most - process.memoryUsage().arrayBuffers).toBeGreaterThan(60 * MIB);
  }, PATIENT);
  observer.disconnect();
  stop();
});

it('says how much of the time since it was asked last the event loop has worked', async () => {
  const memory = processMemory();
  memory.busyShare();
  expect(JSON.stringify(Array.from({ length: 100_000 }, String)).length).toBeGreaterThan(100_000);
  expect(memory.busyShare()).toBe(1);
  // It waits between two of these looks.
  await vi.waitFor(() => expect(memory.busyShare()).toBeLessThan(0.5), PATIENT);
});

it('reads sizes that a running process has', () => {
  const { rssBytes, heapBytes, youngBytes } = processMemory();
  const heap = heapBytes();
  expect(youngBytes()).toBeGreaterThan(0);
  expect(youngBytes()).toBeLessThan(rssBytes());
  expect(heap).toBeGreaterThan(MIB);
  expect(heap).toBeLessThan(rssBytes());
});
