import { describe, expect, it } from 'vitest';
import { Fault } from '../../base/index.ts';
import type { DescribedName, KeyedReads, KeyedTable, KeyedWrites, ReadTx, RowOf, WriteTx } from '../contracts/index.ts';
import { pick, sampleRow } from './described-samples.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

type Row = RowOf<KeyedTable>;

/** What a keyed table promises. */
export const keyedCases = (make: MakeStore, name: DescribedName, table: KeyedTable): void => {
  const rows = (tx: WriteTx) => tx[name] as unknown as KeyedWrites<KeyedTable>;
  const readable = (tx: ReadTx) => (tx as unknown as Record<string, KeyedReads<KeyedTable>>)[name]!;
  const keyOf = (row: Row) => pick(row, table.key);
  const first = sampleRow(table, 1);
  const changing = Object.keys(table.columns).filter(
    (field) => !table.key.includes(field) && !table.fixed.includes(field),
  );

  it('are read by their key as they were put', async () => {
    const { store } = await openFor(make);
    const second = sampleRow(table, 2);
    await store.write(async (tx) => {
      await rows(tx).put(first);
      await rows(tx).put(second);
      expect(await rows(tx).get(keyOf(first))).toEqual(first);
    });
    expect(await readable(store.direct).get(keyOf(second))).toEqual(second);
    expect(await store.read((tx) => readable(tx).get(keyOf(first)))).toEqual(first);
    expect(await readable(store.direct).get(keyOf(sampleRow(table, 3)))).toBeUndefined();
  });

  it('are replaced by what is put under their key, but for what is fixed', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => rows(tx).put(first));
    await store.write((tx) => rows(tx).put({ ...sampleRow(table, 2), ...keyOf(first) }));
    const expected = { ...sampleRow(table, 2), ...keyOf(first), ...pick(first, table.fixed) };
    expect(await readable(store.direct).get(keyOf(first))).toEqual(expected);
  });

  it('are gone once removed, and removing what is not there is nothing', async () => {
    const { store } = await openFor(make);
    await store.write(async (tx) => {
      await rows(tx).put(first);
      await rows(tx).put(sampleRow(table, 2));
    });
    for (let times = 0; times < 2; times++) await store.write((tx) => rows(tx).remove(keyOf(first)));
    expect(await readable(store.direct).get(keyOf(first))).toBeUndefined();
    expect(await readable(store.direct).get(keyOf(sampleRow(table, 2)))).toBeDefined();
  });

  it('are as before when the transaction or its savepoint failed', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => rows(tx).put(first));
    const failing = async (tx: WriteTx) => {
      await rows(tx).remove(keyOf(first));
      await rows(tx).put(sampleRow(table, 2));
      throw new Fault('ABORTED', 'CONFLICT', 'no');
    };
    await expect(store.write(failing)).rejects.toMatchObject({ code: 'ABORTED' });
    await store.write(async (tx) => {
      await tx.savepoint(() => failing(tx)).catch(() => undefined);
      await rows(tx).put(sampleRow(table, 3));
    });
    expect(await readable(store.direct).get(keyOf(first))).toEqual(first);
    expect(await readable(store.direct).get(keyOf(sampleRow(table, 2)))).toBeUndefined();
    expect(await readable(store.direct).get(keyOf(sampleRow(table, 3)))).toBeDefined();
  });

  const [counted] = changing.filter((field) => table.columns[field] !== 'integer');
  it.runIf(counted !== undefined)(
    'lose nothing of what transactions at the same time read and write, whether the row is there before or not',
    async () => {
      const { store } = await openFor(make);
      const field = counted as string;
      for (const before of ['', 'x']) {
        const row: Row = { ...sampleRow(table, before.length + 1), [field]: before };
        if (before !== '') await store.write((tx) => rows(tx).put(row));
        await Promise.all(
          Array.from({ length: 6 }, () =>
            store.write(async (tx) => {
              const found = await rows(tx).get(keyOf(row));
              await rows(tx).put({ ...row, [field]: `${found?.[field] ?? ''}+` });
            }),
          ),
        );
        expect((await readable(store.direct).get(keyOf(row)))?.[field]).toBe(`${before}++++++`);
      }
    },
  );

  for (const [queryName, query] of Object.entries(table.queries))
    describe(`by ${queryName}`, () => {
      const groupOf = (group: number, numbers: readonly number[]): Row[] =>
        numbers.map((number) => sampleRow(table, number, { fields: query.equal, group }));
      const found = groupOf(1, [3, 1, 5, 2]);
      // A query over all rows has no others.
      const others = query.equal.length === 0 ? [] : groupOf(2, [4, 6]);
      const inOrder = found.toSorted((left, right) => {
        const [a, b] = [left, right].map((row) => JSON.stringify(pick(row, query.order))) as [string, string];
        return (a < b ? -1 : 1) * (query.direction === 'ascending' ? 1 : -1);
      });
      const equal = pick(found[0] as Row, query.equal);
      const filled = async () => {
        const { store } = await openFor(make);
        await store.write(async (tx) => {
          for (const row of [...found, ...others]) await rows(tx).put(row);
        });
        return store;
      };

      it('are listed in order, and in pages', async () => {
        const store = await filled();
        expect(await readable(store.direct).page(queryName, equal, { limit: 9 })).toEqual(inOrder);
        const paged: Row[] = [];
        for (let rest = inOrder.length; rest > 0; rest -= 3) {
          const last = paged.at(-1);
          const after = last === undefined ? undefined : pick(last, query.order);
          paged.push(...(await store.read((tx) => readable(tx).page(queryName, equal, { after, limit: 3 }))));
        }
        expect(paged).toEqual(inOrder);
        const after = pick(inOrder.at(-1) as Row, query.order);
        expect(await store.write((tx) => rows(tx).page(queryName, equal, { after, limit: 3 }))).toEqual([]);
      });

      it('are removed together, and no others', async () => {
        const store = await filled();
        const removed = await store.write((tx) => rows(tx).removeAll(queryName, equal));
        expect(removed.map((key) => JSON.stringify(key)).toSorted()).toEqual(
          found.map((row) => JSON.stringify(keyOf(row))).toSorted(),
        );
        expect(await readable(store.direct).page(queryName, equal, { limit: 9 })).toEqual([]);
        for (const row of others) expect(await readable(store.direct).get(keyOf(row))).toEqual(row);
        expect(await store.write((tx) => rows(tx).removeAll(queryName, equal))).toEqual([]);
      });
    });
};
