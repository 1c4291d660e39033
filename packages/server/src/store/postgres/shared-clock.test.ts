// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock } from '../../base/index.ts';
import { openTestStore } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

withPostgres('the clock of several nodes', (postgres) => {
  const node = async (url: string, clock: ManualClock) => {
    const { store } = await openTestStore({ url, clock });
    onTestFinished(() => store.close());
    return store;
  };
  const times = async () => {
    const url = await postgres.databases.create();
    const clocks = [new ManualClock(), new ManualClock(0)] as const;
    return { url, clocks, stores: [await node(url, clocks[0]), await node(url, clocks[1])] as const };
  };
  const write = (store: Awaited<ReturnType<typeof node>>) => store.write(async (tx) => tx.steadyNow());

  it('begins with the time of the database, whatever the clocks of their machines say', async () => {
    const { stores } = await times();
    expect(Math.abs(stores[0].steadyNow() - stores[1].steadyNow())).toBeLessThan(60_000_000);
  });

  it('follows the node that is ahead, at the next write a second later', async () => {
    const { stores, clocks } = await times();
    clocks[0].advance(100_000);
    const ahead = await write(stores[0]);
    expect(await write(stores[1])).toBeLessThan(ahead);
    clocks[1].advance(1_000);
    expect(await write(stores[1])).toBeGreaterThanOrEqual(ahead);
  });

  it('is not pushed on by nodes that start again and again', async () => {
    const { url, stores, clocks } = await times();
    clocks[0].advance(100_000);
    const ahead = await write(stores[0]);
    for (let start = 0; start < 5; start++) {
      const { store } = await openTestStore({ url });
      expect(store.steadyNow()).toBe(ahead);
      await store.close();
    }
  });
});
