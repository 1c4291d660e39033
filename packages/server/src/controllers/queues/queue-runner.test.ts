import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, silentLog } from '../../base/index.ts';
import { openResourceWorld, type ResourceWorld } from '../../features/testing/index.ts';
import { quietStore } from '../../store/testing/quiet-store.ts';
import { QueueRunner } from './queue-runner.ts';

let world: ResourceWorld;
beforeEach(async () => {
  world = await openResourceWorld({ contracts: () => [] });
});
afterEach(() => world.close());

/** A process with a queue; items called `slow` end when they are let go. */
const processOf = (clock: Clock = world.clock) => {
  const runs: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { store, bus, random } = world;
  const run = async ({ key, payload }: { readonly key: string; readonly payload: string }) => {
    runs.push(`${key} ${payload}`.trim());
    if (key === 'slow') await gate.promise;
    return { done: true } as const;
  };
  const workers = [{ kinds: ['test'], run }];
  const runner = new QueueRunner({ store, bus, clock, random, log: silentLog, pollMs: 60_000, workers });
  return { runner, runs, letGo: () => gate.resolve() };
};

const put = (key: string, payload = ''): Promise<void> =>
  world.store.write((tx) => tx.queue.put({ kind: 'test', key, dueAt: 0, attempts: 0, payload }, { replace: true }));

const pass = async (ms: number): Promise<void> => {
  world.clock.advance(ms);
  await quietStore(world.store);
};

describe('claims of queued work', () => {
  it('are renewed while one item runs, also those of the items behind it', async () => {
    await put('slow');
    await put('waits');
    const [first, second] = [processOf(), processOf()];
    const timers = world.clock.pendingTimers;
    const ended = first.runner.tick();
    for (let round = 0; round < 10; round += 1) {
      await pass(3_000);
      await second.runner.tick();
    }
    expect([first.runs, second.runs]).toEqual([['slow'], []]);
    first.letGo();
    await ended;
    expect([first.runs, second.runs]).toEqual([['slow', 'waits'], []]);
    for (const { runner } of [first, second]) runner.close();
    expect(world.clock.pendingTimers).toBe(timers);
  });

  it('of a process that died end after ten seconds', async () => {
    await put('slow');
    const dead = processOf({ ...world.clock, nowMicros: () => 0, monotonicMs: () => 0, after: () => () => undefined });
    void dead.runner.tick();
    await quietStore(world.store);
    const next = processOf();
    await pass(9_999);
    await next.runner.tick();
    expect([dead.runs, next.runs]).toEqual([['slow'], []]);
    await pass(1);
    next.letGo();
    await next.runner.tick();
    expect(next.runs).toEqual(['slow']);
  });

  it('are asked for again before the next item is run when the process was stopped meanwhile', async () => {
    await put('slow');
    await put('waits');
    const stopped = processOf({
      ...world.clock,
      nowMicros: () => world.clock.nowMicros(),
      monotonicMs: () => world.clock.monotonicMs(),
      after: () => () => undefined,
    });
    const ended = stopped.runner.tick();
    await quietStore(world.store);
    const other = processOf();
    other.letGo();
    await pass(10_000);
    await other.runner.tick();
    stopped.letGo();
    await ended;
    expect([stopped.runs, other.runs]).toEqual([['slow'], ['slow', 'waits']]);
  });

  it('that were lost keep an item from being run', async () => {
    await put('slow');
    await put('waits', 'old');
    const [first, second] = [processOf(), processOf()];
    const ended = first.runner.tick();
    await quietStore(world.store);
    await put('waits', 'new');
    await pass(3_000);
    await second.runner.tick();
    first.letGo();
    await ended;
    expect([first.runs, second.runs]).toEqual([['slow'], ['waits new']]);
  });
});
