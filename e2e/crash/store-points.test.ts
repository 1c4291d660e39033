import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultSweep } from './fault-sweep.ts';

let sweep: FaultSweep;
beforeAll(async () => {
  sweep = await FaultSweep.start();
});
afterAll(() => sweep[Symbol.asyncDispose]());

describe('a process killed at every durable write of its start and of a turn', () => {
  it('loses and doubles nothing before a commit', async () => {
    expect(await sweep.run('store.commit', 'attached')).toBeGreaterThan(3);
  });
});
