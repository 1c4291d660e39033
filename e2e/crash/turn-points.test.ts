import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultSweep, sampledPoints } from './fault-sweep.ts';

let sweep: FaultSweep;
beforeAll(async () => {
  sweep = await FaultSweep.start();
});
afterAll(() => sweep[Symbol.asyncDispose]());

const points = [
  'before-claim',
  'after-claim',
  'before-model-call',
  'after-model-call',
  'before-model-response',
  'after-model-response',
  'before-tool',
  'after-tool',
  'before-tool-result',
  'after-tool-result',
  'before-final',
  'after-final',
  'after-terminal-event',
];

describe('a process killed at every passing of a point of the turn engine', () => {
  it.each(sampledPoints(points))('loses and doubles nothing at %s, clients attached', async (point) => {
    expect(await sweep.run(point, 'attached')).toBeGreaterThan(0);
  });
});

describe('a process killed while nobody is attached', () => {
  it.each(['after-claim', 'after-tool'])('completes its turn after %s', async (point) => {
    expect(await sweep.run(point, 'none')).toBeGreaterThan(0);
  });
});
