import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BatchCall, type BatchEnd, type BatchPlan, driveBatch, nextCalls } from './index.ts';

type Kind = 'r' | 'w' | 'x' | 'a' | 'A' | 'f' | 'd';

/** r/w/x: ready read, write, external; a/A: asking read, write; f: refused; d: done. */
const callOf = (kind: Kind): BatchPlan['calls'][number] => {
  const effect = kind === 'w' || kind === 'A' ? 'write' : kind === 'x' ? 'external' : 'read';
  const state = kind === 'a' || kind === 'A' ? 'asking' : kind === 'f' ? 'refused' : kind === 'd' ? 'done' : 'ready';
  return { effect, state };
};

/** A batch whose calls end only when the test says so. */
class World {
  readonly started: number[] = [];
  readonly #open = new Map<number, PromiseWithResolvers<'done'>>();
  stopping = false;
  readonly end: Promise<BatchEnd>;

  constructor(kinds: string, parallelTools = 8) {
    this.end = driveBatch({
      calls: [...kinds].map((kind) => callOf(kind as Kind)),
      parallelTools,
      isStopping: () => this.stopping,
      settle: (index) => {
        this.started.push(index);
        const gate = Promise.withResolvers<'done'>();
        this.#open.set(index, gate);
        return gate.promise;
      },
    });
    this.end.catch(() => undefined);
  }

  get open(): readonly number[] {
    return [...this.#open.keys()];
  }

  async finish(index: number, error?: Error): Promise<void> {
    const gate = this.#open.get(index);
    this.#open.delete(index);
    if (error === undefined) gate?.resolve('done');
    else gate?.reject(error);
    await settled();
  }
}

/** Lets every promise that can go on do so. */
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

describe('a batch of calls', () => {
  it('runs adjacent reads together and writes alone, in call order (R41)', async () => {
    const world = new World('rrwrx');
    await settled();
    expect(world.open).toEqual([0, 1]);
    await world.finish(1);
    expect(world.open).toEqual([0]);
    await world.finish(0);
    expect(world.open).toEqual([2]);
    await world.finish(2);
    expect(world.open).toEqual([3]);
    await world.finish(3);
    expect(world.open).toEqual([4]);
    await world.finish(4);
    expect(await world.end).toEqual({ kind: 'finished' });
  });

  it('keeps at most parallelTools reads open and refills as they end', async () => {
    const world = new World('rrrr', 2);
    await settled();
    expect(world.open).toEqual([0, 1]);
    await world.finish(1);
    expect(world.open).toEqual([0, 2]);
    await world.finish(2);
    expect(world.open).toEqual([0, 3]);
  });

  it('runs only what has no result yet (K8)', async () => {
    const world = new World('drdw');
    await settled();
    await world.finish(1);
    await world.finish(3);
    expect(world.started).toEqual([1, 3]);
    expect(await world.end).toEqual({ kind: 'finished' });
    expect(await new World('ddd').end).toEqual({ kind: 'finished' });
    expect(await new World('').end).toEqual({ kind: 'finished' });
  });

  it('records refused calls without waiting for their neighbours', async () => {
    const world = new World('rfr');
    await settled();
    expect(world.open.toSorted()).toEqual([0, 1, 2]);
  });

  it('parks at an unanswered call once everything before it is done, and runs nothing behind it (R46)', async () => {
    const world = new World('rrArr');
    await settled();
    expect(world.open).toEqual([0, 1]);
    await world.finish(0);
    await world.finish(1);
    expect(await world.end).toEqual({ kind: 'parked', index: 2 });
    expect(world.started).toEqual([0, 1]);
    expect(await new World('a').end).toEqual({ kind: 'parked', index: 0 });
  });

  it('records a refused call before it parks behind it', async () => {
    const world = new World('fa');
    await settled();
    expect(world.open).toEqual([0]);
    await world.finish(0);
    expect(await world.end).toEqual({ kind: 'parked', index: 1 });
  });

  it('starts nothing more when stopping and ends when open calls have ended', async () => {
    const world = new World('rrw');
    await settled();
    world.stopping = true;
    await world.finish(0);
    await world.finish(1);
    expect(await world.end).toEqual({ kind: 'stopped' });
    expect(world.started).toEqual([0, 1]);
  });

  it('rethrows the first failed record only after the other open calls have ended', async () => {
    const world = new World('rrw');
    await settled();
    let ended = false;
    void world.end.catch(() => {
      ended = true;
    });
    await world.finish(0, new Error('claim lost'));
    expect(ended).toBe(false);
    await world.finish(1);
    await expect(world.end).rejects.toThrow('claim lost');
    expect(world.started).toEqual([0, 1]);
  });

  it('turns a settle that throws at once into a rejection', async () => {
    const plan: BatchPlan = {
      calls: [callOf('r')],
      parallelTools: 1,
      isStopping: () => false,
      settle: () => {
        throw new Error('at once');
      },
    };
    await expect(driveBatch(plan)).rejects.toThrow('at once');
  });
});

/** The rules of R41 and R46 that hold in every state of a batch. */
const expectLawful = (calls: readonly BatchCall[], parallelTools: number): void => {
  const running = calls.filter((call) => call.state === 'running');
  const writes = running.filter((call) => call.effect !== 'read');
  expect(writes.length === 0 || running.length === 1).toBe(true);
  expect(running.length).toBeLessThanOrEqual(parallelTools);
  const asking = calls.findIndex((call) => call.state === 'asking');
  const lastRunning = calls.findLastIndex((call) => call.state === 'running');
  expect(asking < 0 || lastRunning < asking).toBe(true);
};

/** Plays a batch to its end, letting running calls end in the order of `choices`; answers where it ended. */
const play = (batch: readonly Kind[], parallelTools: number, choices: Iterator<number>): number | undefined => {
  const calls: BatchCall[] = batch.map(callOf);
  for (let round = 0; round < 100; round++) {
    const next = nextCalls(calls, parallelTools);
    for (const index of next.answer) calls[index] = { effect: 'read', state: 'done' };
    for (const index of next.run) calls[index] = { effect: callOf(batch[index]!).effect, state: 'running' };
    expectLawful(calls, parallelTools);
    if (next.finished || next.park !== undefined) return next.park;
    const open = calls.flatMap((call, index) => (call.state === 'running' ? [index] : []));
    const ending = open[choices.next().value % open.length];
    if (ending !== undefined) calls[ending] = { effect: 'read', state: 'done' };
  }
  return expect.fail('the batch never ended');
};

describe('nextCalls', () => {
  it('never lets a write overlap anything and never passes an unanswered call, for any order of endings', () => {
    const kinds = fc.array(fc.constantFrom<Kind>('r', 'w', 'x', 'a', 'f', 'd'), { maxLength: 10 });
    fc.assert(
      fc.property(kinds, fc.integer({ min: 1, max: 4 }), fc.infiniteStream(fc.nat()), (batch, parallel, choices) => {
        const asking = batch.indexOf('a');
        expect(play(batch, parallel, choices) ?? -1).toBe(asking);
      }),
    );
  });
});
