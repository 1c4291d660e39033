import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultSweep, isSampled } from './fault-sweep.ts';

/** Some thirty starts, one after the other. */
const SWEEP_MS = 240_000;

let sweep: FaultSweep;
beforeAll(async () => {
  sweep = await FaultSweep.start({ ofStore: true });
});
afterAll(() => sweep[Symbol.asyncDispose]());

describe('a process killed after every durable write of its start and of a turn', () => {
  it(
    'loses and doubles nothing between a sync and its acknowledgement',
    async () => {
      expect(await sweep.run('store.synced', 'attached', { sweepsStart: true })).toBeGreaterThan(isSampled ? 1 : 3);
    },
    SWEEP_MS,
  );
});
