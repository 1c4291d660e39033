import process from 'node:process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FaultSweep } from './fault-sweep.ts';

let sweep: FaultSweep;
beforeAll(async () => {
  sweep = await FaultSweep.start();
});
afterAll(() => sweep[Symbol.asyncDispose]());

/** On PostgreSQL the claims of a killed process stay for a lease, so each kill takes seconds: one point of each sort there. */
const isShort = process.env['SVC_E2E_STORE'] === 'postgres';
const some = ['after-claim', 'after-tool', 'before-final'];

const every = [
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

const points = isShort ? some : every;

describe('a process killed at every passing of a point of the turn engine', () => {
  it.each(points)('loses and doubles nothing at %s, clients attached', async (point) => {
    expect(await sweep.run(point, 'attached')).toBeGreaterThan(0);
  });
});

describe('a process killed while nobody is attached', () => {
  it.each(isShort ? ['after-tool'] : ['after-claim', 'after-tool'])('completes its turn after %s', async (point) => {
    expect(await sweep.run(point, 'none')).toBeGreaterThan(0);
  });
});
