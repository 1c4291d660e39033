// @service postgresql
import { expect, it } from 'vitest';
import { Fault } from '../../../base/index.ts';
import { draft, key } from '../../conformance/index.ts';
import type { Store, WriteTx } from '../../contracts/index.ts';
import { runSql } from '../testing/test-store.ts';
import { withPostgres } from '../testing/with-postgres.ts';

const refusal = (): Fault => new Fault('ABORTED', 'CONFLICT', 'not the version that was named');

/** Reads the row, as a conditional write does, and refuses. */
const refuse = async (tx: WriteTx): Promise<never> => {
  await tx.resources.get(key('row'));
  throw refusal();
};

const change = async (tx: WriteTx, spec: string): Promise<void> => {
  const found = await tx.resources.get(key('row'));
  await tx.resources.replace(draft('row', { spec }), found?.version ?? 0, ['spec']);
};

withPostgres('writes that their function refuses', (postgres) => {
  /** Stores on one database that holds the row. */
  const stores = async (count: number): Promise<{ readonly url: string; readonly all: readonly Store[] }> => {
    const made = await postgres.stores(count);
    const all = made.map(({ store }) => store);
    await all[0]?.write((tx) => tx.resources.insert(draft('row', { spec: '{"value":1}' })));
    return { url: made[0]?.url ?? '', all };
  };

  it('keep their connection: a new one costs the server a process', async () => {
    const { url, all } = await stores(1);
    const [store] = all as [Store];
    const connections = () =>
      runSql(
        url,
        'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() ORDER BY pid',
      );
    await expect(store.write(refuse)).rejects.toThrow(refusal());
    const before = await connections();
    for (let count = 0; count < 10; count++) await expect(store.write(refuse)).rejects.toThrow(refusal());
    expect(await connections()).toEqual(before);
  });

  it('leave nothing of their transaction behind on the connection', async () => {
    const { url, all } = await stores(1);
    const [store] = all as [Store];
    const refused = store.write(async (tx) => {
      await tx.instance.setValue('n', 'refused');
      throw refusal();
    });
    await expect(refused).rejects.toThrow(refusal());
    await store.write((tx) => tx.instance.setValue('m', 'kept'));
    expect(await runSql(url, "SELECT name FROM instance WHERE name IN ('m', 'n')")).toEqual([{ name: 'm' }]);
  });

  it('wait for nobody who is changing what they read', async () => {
    const { all } = await stores(2);
    const [here, there] = all as [Store, Store];
    const hasChanged = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const changing = there.write(async (tx) => {
      await change(tx, '{"value":2}');
      hasChanged.resolve();
      await mayCommit.promise;
    });
    await hasChanged.promise;
    let runs = 0;
    const refused = here.write((tx) => {
      runs++;
      return refuse(tx);
    });
    await expect(refused).rejects.toThrow(refusal());
    expect(runs).toBe(1);
    mayCommit.resolve();
    await changing;
  });

  it('run again when what they read has changed, and had not before', async () => {
    const { all } = await stores(2);
    const [here, there] = all as [Store, Store];
    const seen: string[] = [];
    const decided = here.write(async (tx) => {
      const { spec } = (await tx.resources.get(key('row'))) ?? { spec: '' };
      seen.push(spec);
      if (seen.length === 1) await there.write((other) => change(other, '{"value":2}'));
      if (spec === '{"value":1}') throw refusal();
      return spec;
    });
    expect(await decided).toBe('{"value":2}');
    expect(seen).toEqual(['{"value":1}', '{"value":2}']);
  });

  it('run again when a list, a value or a row that was missing is no longer so', async () => {
    const { all } = await stores(2);
    const [here, there] = all as [Store, Store];
    const reads: readonly ((tx: WriteTx) => Promise<unknown>)[] = [
      async (tx) =>
        (await tx.resources.list({ kind: 'Agent', scope: { type: 'namespaces', namespaces: ['default'] }, limit: 10 }))
          .length,
      (tx) => tx.instance.value('n'),
      async (tx) => (await tx.resources.get(key('missing')))?.spec,
    ];
    const changes: readonly ((tx: WriteTx) => Promise<unknown>)[] = [
      (tx) => tx.resources.insert(draft('listed')),
      (tx) => tx.instance.setValue('n', 'new'),
      (tx) => tx.resources.insert(draft('missing')),
    ];
    for (const [index, read] of reads.entries()) {
      let runs = 0;
      const decided = here.write(async (tx) => {
        await read(tx);
        if (++runs > 1) return 'decided anew';
        await there.write(async (other) => void (await changes[index]?.(other)));
        throw refusal();
      });
      expect([index, await decided]).toEqual([index, 'decided anew']);
    }
  });

  it('run again when one of several lists and values is no longer so', async () => {
    const { all } = await stores(2);
    const [here, there] = all as [Store, Store];
    let runs = 0;
    const decided = here.write(async (tx) => {
      await tx.resources.get(key('missing'));
      await tx.instance.value('n');
      if (++runs > 1) return 'decided anew';
      await there.write((other) => other.instance.setValue('n', 'new'));
      throw refusal();
    });
    expect(await decided).toBe('decided anew');
  });
});
