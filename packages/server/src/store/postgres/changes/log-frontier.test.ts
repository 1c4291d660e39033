// @service postgresql
import { Client } from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { draft, id } from '../../conformance/index.ts';
import type { ResourceChange, Store, WriteTx } from '../../contracts/index.ts';
import { openTestStore, runSql } from '../testing/test-store.ts';
import { withPostgres } from '../testing/with-postgres.ts';

/**
 * A write that halts where it is told to, so that a test chooses the order of the world. It goes on asking: the server ends a
 * transaction that is silent for 5 s, and on a busy machine what a test does meanwhile takes longer.
 */
const halting = (store: Store, work: (tx: WriteTx, halt: () => Promise<void>) => Promise<void>) => {
  const reached = Promise.withResolvers<void>();
  let isOpen = false;
  const write = store.write((tx) =>
    work(tx, async () => {
      // An answer behind what was written: it is in the database when the function halts.
      await tx.log.turn('none');
      reached.resolve();
      while (!isOpen) await tx.log.turn('none');
    }),
  );
  write.catch(() => undefined);
  const go = (): void => {
    isOpen = true;
  };
  onTestFinished(go);
  return { reached: reached.promise, go, write };
};

const insert = (tx: WriteTx, name: string) => tx.resources.insert(draft(name));
const namesOf = (changes: readonly ResourceChange[]): string[] => changes.map((change) => change.resource.key.name);

const follow = async (store: Store, count: number, isOver: () => boolean): Promise<ResourceChange[]> => {
  const seen: ResourceChange[] = [];
  while (seen.length < count || !isOver()) {
    const page = await store.direct.resources.changes(seen.at(-1)?.version ?? 0, 7);
    seen.push(...page);
    if (page.length === 0 && isOver() && seen.length >= count) break;
  }
  return seen;
};

withPostgres('the change log of several processes', (postgres) => {
  it('shows a change only when no older one can come any more', async () => {
    const [writer, reader] = (await postgres.stores(2)).map((made) => made.store) as [Store, Store];
    const late = halting(writer, async (tx, halt) => {
      await insert(tx, 'late');
      await halt();
    });
    await late.reached;
    const early = await writer.write((tx) => insert(tx, 'early'));
    expect(await reader.direct.resources.versionRange()).toEqual({ oldest: early.version, newest: 0 });
    const waiting = reader.direct.resources.changes(0, 10);
    late.go();
    await late.write;
    expect(namesOf(await waiting)).toEqual(['late', 'early']);
    expect((await reader.direct.resources.versionRange()).newest).toBe(early.version);
  });

  it('skips a change that was rolled back, once it was', async () => {
    const [writer, reader] = (await postgres.stores(2)).map((made) => made.store) as [Store, Store];
    const late = halting(writer, async (tx, halt) => {
      await insert(tx, 'late');
      await halt();
      throw new Error('changed its mind');
    });
    await late.reached;
    await writer.write((tx) => insert(tx, 'early'));
    const waiting = reader.direct.resources.changes(0, 10);
    late.go();
    await expect(late.write).rejects.toThrow('changed its mind');
    expect(namesOf(await waiting)).toEqual(['early']);
  });

  it('waits for a transaction that took its number later and its version earlier than one that ended', async () => {
    const [writer, reader] = (await postgres.stores(2)).map((made) => made.store) as [Store, Store];
    const older = halting(writer, async (tx, halt) => {
      await tx.instance.setValue('numbers', 'the transaction');
      await halt();
      await insert(tx, 'second');
    });
    await older.reached;
    const younger = halting(writer, async (tx, halt) => {
      await insert(tx, 'first');
      await halt();
    });
    await younger.reached;
    older.go();
    await older.write;
    expect((await reader.direct.resources.versionRange()).newest).toBe(0);
    expect((await reader.direct.resources.versionRange()).newest).toBe(0);
    younger.go();
    await younger.write;
    expect(namesOf(await reader.direct.resources.changes(0, 10))).toEqual(['first', 'second']);
  });

  it('begins in a new process only when every transaction of that moment has ended', async () => {
    const [first] = await postgres.stores(1);
    const late = halting(first!.store, async (tx, halt) => {
      await insert(tx, 'late');
      await halt();
    });
    await late.reached;
    const early = await first!.store.write((tx) => insert(tx, 'early'));
    const starting = first!.reopenBeside();
    const range = starting.then((store) => store.direct.resources.versionRange());
    late.go();
    await late.write;
    expect((await range).newest).toBe(early.version);
    expect(namesOf(await (await starting).direct.resources.changes(0, 10))).toEqual(['late', 'early']);
  });

  it('begins before the oldest entry where a transaction stays open, and misses nothing', async () => {
    const [first] = await postgres.stores(1);
    await first!.store.write((tx) => insert(tx, 'before'));
    const late = halting(first!.store, async (tx, halt) => {
      await insert(tx, 'late');
      await halt();
    });
    await late.reached;
    await first!.store.write((tx) => insert(tx, 'early'));
    const { store } = await openTestStore({ url: first!.url, pause: () => Promise.resolve() });
    onTestFinished(() => store.close());
    expect(namesOf(await store.direct.resources.changes(0, 10))).toEqual(['before']);
    late.go();
    await late.write;
    expect(namesOf(await store.direct.resources.changes(0, 10))).toEqual(['before', 'late', 'early']);
  });

  it('waits for no transaction in another database of the server, neither at a hole nor at the start', async () => {
    const [first] = await postgres.stores(1);
    const foreign = new Client({ connectionString: postgres.server.url('postgres') });
    await foreign.connect();
    onTestFinished(() => foreign.end());
    await foreign.query('BEGIN; SELECT pg_current_xact_id()');
    const undone = first!.store.write(async (tx) => {
      await insert(tx, 'late');
      throw new Error('changed its mind');
    });
    await expect(undone).rejects.toThrow('changed its mind');
    const early = await first!.store.write((tx) => insert(tx, 'early'));
    expect(early.version).toBe(2);
    expect(namesOf(await first!.store.direct.resources.changes(0, 10))).toEqual(['early']);
    const starting = await first!.reopenBeside();
    expect((await starting.direct.resources.versionRange()).newest).toBe(early.version);
  });

  it('waits for sessions of other users, too', async () => {
    const [writer] = await postgres.stores(1);
    const { url } = writer!;
    await runSql(url, 'CREATE ROLE onlooker LOGIN');
    for (const rights of ['CREATE ON SCHEMA', 'ALL ON ALL TABLES IN SCHEMA', 'ALL ON ALL SEQUENCES IN SCHEMA'])
      await runSql(url, `GRANT ${rights} public TO onlooker`);
    const { store } = await openTestStore({ url: url.replace('svc@', 'onlooker@'), pause: () => Promise.resolve() });
    onTestFinished(() => store.close());
    const late = halting(writer!.store, async (tx, halt) => {
      await insert(tx, 'late');
      await halt();
    });
    await late.reached;
    await writer!.store.write((tx) => insert(tx, 'early'));
    expect(namesOf(await store.direct.resources.changes(0, 10))).toEqual([]);
    late.go();
    await late.write;
    expect(namesOf(await store.direct.resources.changes(0, 10))).toEqual(['late', 'early']);
  });

  it('gives every version once and in order to readers while writers of two processes commit and roll back', async () => {
    const stores = (await postgres.stores(3)).map((made) => made.store) as [Store, Store, Store];
    let isOver = false;
    const writes = Array.from({ length: 120 }, (_, index) =>
      stores[index % 2 === 0 ? 0 : 1].write(async (tx) => {
        await insert(tx, `r${index}`);
        if (index % 3 === 0) await tx.instance.value(`unread ${index}`);
        if (index % 5 === 0) throw new Error('refused');
        await insert(tx, `s${index}`);
      }),
    );
    const readers = [stores[2], stores[0]].map((store) => follow(store, 192, () => isOver));
    const results = await Promise.allSettled(writes);
    isOver = true;
    expect(results.filter((result) => result.status === 'rejected')).toHaveLength(24);
    for (const seen of await Promise.all(readers)) {
      const versions = seen.map((change) => change.version);
      expect(versions).toEqual([...new Set(versions)].sort((left, right) => left - right));
      expect(new Set(namesOf(seen)).size).toBe(192);
    }
  });

  it('of the audit record closes the chain over no row before which one can still come', async () => {
    const [writer, closer] = (await postgres.stores(2)).map((made) => made.store) as [Store, Store];
    const row = (number: number) => ({
      ...{ id: id(number), at: number, requestId: '', identity: '', operation: '', target: '', namespace: '' },
      ...{ outcome: 'OK', resourceVersion: '' },
    });
    const late = halting(writer, async (tx, halt) => {
      await tx.audit.append(row(1));
      await halt();
    });
    await late.reached;
    await writer.write((tx) => tx.audit.append(row(2)));
    const unchained = async () => (await closer.write((tx) => tx.audit.unchained(10))).map((each) => each.at);
    expect([await unchained(), await unchained()]).toEqual([[], []]);
    late.go();
    await late.write;
    expect(await unchained()).toEqual([1, 2]);
    await closer.write(async (tx) => {
      for (const each of await tx.audit.unchained(10)) await tx.audit.setHashes([{ id: each.id, hash: `h${each.at}` }]);
    });
    const undone = writer.write(async (tx) => {
      await tx.audit.append(row(3));
      throw new Error('refused');
    });
    await expect(undone).rejects.toThrow('refused');
    await writer.write((tx) => tx.audit.append(row(4)));
    await unchained();
    expect(await unchained()).toEqual([4]);
  });
});
