import { expect, it } from 'vitest';
import type {
  DescribedName,
  ExpiringReads,
  ExpiringTable,
  ExpiringWrites,
  ReadTx,
  Store,
  WriteTx,
} from '../contracts/index.ts';
import { sampleRow } from './described-samples.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

/** What an expiring table promises. */
export const expiringCases = (make: MakeStore, name: DescribedName, table: ExpiringTable): void => {
  const records = (tx: WriteTx) => tx[name] as unknown as ExpiringWrites<ExpiringTable>;
  const readable = (tx: ReadTx) => (tx as unknown as Record<string, ExpiringReads<ExpiringTable>>)[name]!;
  const record = (store: Store, key: string, number = 1) => ({
    ...sampleRow(table, number),
    ...{ [table.key[0]]: key, [table.expiry]: store.steadyNow() + 1_000 },
  });
  const taken = () => {
    const { code, reason, message } = table.taken();
    return { code, reason, message };
  };

  it('are found until they expire, and then overwritten', async () => {
    const { store } = await openFor(make);
    const now = store.steadyNow();
    const first = record(store, 's');
    await store.write((tx) => records(tx).insert(first));
    expect(await readable(store.direct).find('s', now)).toEqual(first);
    expect(await store.read((tx) => readable(tx).find('s', now + 999))).toEqual(first);
    expect(await readable(store.direct).find('s', now + 1_000)).toBeUndefined();
    const again = store.write((tx) => records(tx).insert(record(store, 's', 2)));
    await expect(again).rejects.toMatchObject(taken());
    expect(await readable(store.direct).find('s', now)).toEqual(first);
  });

  it('are overwritten once expired and trimmed in pieces', async () => {
    const { store, clock } = await openFor(make);
    await store.write(async (tx) => {
      for (const key of ['a', 'b', 'c']) await records(tx).insert(record(store, key));
    });
    clock.advance(10);
    const renewed = record(store, 'a', 2);
    await store.write((tx) => records(tx).insert(renewed));
    expect(await store.write((tx) => records(tx).find('a', store.steadyNow()))).toEqual(renewed);
    const trim = (limit: number) => store.write((tx) => records(tx).trim(store.steadyNow(), limit));
    expect([await trim(1), await trim(10), await trim(10)]).toEqual([1, 1, 0]);
    expect(await readable(store.direct).find('a', store.steadyNow())).toEqual(renewed);
  });

  it('are written once by transactions that looked for them at the same time: the others find what was written', async () => {
    const { store } = await openFor(make);
    const numbers = [1, 2, 3, 4, 5];
    const seen = await Promise.all(
      numbers.map((number) =>
        store.write(async (tx) => {
          const found = await records(tx).find('s', tx.steadyNow());
          if (found !== undefined) return found;
          const made = record(store, 's', number);
          await records(tx).insert(made);
          return made;
        }),
      ),
    );
    expect(new Set(seen.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  it('are refused to all but one of those that did not look', async () => {
    const { store } = await openFor(make);
    const numbers = [1, 2, 3];
    const outcomes = await Promise.allSettled(
      numbers.map((number) => store.write((tx) => records(tx).insert(record(store, 's', number)))),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject(taken());
  });
};
