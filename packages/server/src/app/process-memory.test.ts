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
  const before = process.memoryUsage().arrayBuffers;
  let held: Buffer | undefined = Buffer.alloc(64 * MIB, 1);
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(60 * MIB);
  memory.collect();
  await vi.waitFor(() => expect(collected).toHaveBeenCalled(), PATIENT);
  expect(held.length).toBe(64 * MIB);
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(60 * MIB);
  held = undefined;
  await vi.waitFor(() => {
    memory.collect();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MIB);
  }, PATIENT);
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
