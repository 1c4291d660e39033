import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Fault } from '../../base/index.ts';
import { draft, key } from '../conformance/index.ts';
import type { Store } from '../contracts/index.ts';
import { loadMigrations } from '../migrations/index.ts';
import { lockDataDir } from './data-lock.ts';
import type { SqliteStoreOptions } from './sqlite-store.ts';
import { makeTestStore } from './testing/test-store.ts';

const openFor = async (options: Partial<SqliteStoreOptions> = {}) => {
  const made = await makeTestStore(options);
  onTestFinished(made.dispose);
  return made;
};

/** A sync that ends when the test says so. */
const gatedSync = () => {
  const started: { resolve(): void; reject(error: unknown): void }[] = [];
  let isOpen = true;
  const sync = (): Promise<void> =>
    isOpen ? Promise.resolve() : new Promise((resolve, reject) => started.push({ resolve, reject }));
  return { started, sync, shut: () => (isOpen = false), open: () => (isOpen = true) };
};

/** Lets the event loop turn until what is runnable has run. */
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 5; turns++) await new Promise<void>((resolve) => setImmediate(resolve));
};

const write = (store: Store, name: string) => store.write((tx) => tx.resources.insert(draft(name)));

describe('group commit', () => {
  it('acknowledges, and runs effects, only after a sync that began after the commit (S1, Q3)', async () => {
    const gate = gatedSync();
    const { store } = await openFor({ sync: gate.sync });
    gate.shut();
    const seen: string[] = [];
    const note = (name: string) =>
      store
        .write(async (tx) => {
          await tx.instance.setValue(name, '1');
          tx.afterCommit(() => seen.push(`effect ${name}`));
        })
        .then(() => seen.push(`ack ${name}`));
    const first = note('a');
    await settle();
    const second = note('b');
    await settle();
    expect(seen).toEqual([]);
    expect(gate.started).toHaveLength(1);
    gate.started[0]?.resolve();
    await first;
    expect(seen).toEqual(['effect a', 'ack a']);
    await settle();
    expect(seen).toEqual(['effect a', 'ack a']);
    expect(gate.started).toHaveLength(2);
    gate.open();
    gate.started[1]?.resolve();
    await second;
    expect(seen).toEqual(['effect a', 'ack a', 'effect b', 'ack b']);
  });

  it('holds back a read that saw a commit not yet synced, and only that (S2)', async () => {
    const gate = gatedSync();
    const { store } = await openFor({ sync: gate.sync });
    await write(store, 'old');
    gate.shut();
    const writing = write(store, 'new');
    await settle();
    const seen: string[] = [];
    const reads = [
      store.direct.resources.get(key('old')).then(() => seen.push('old')),
      store.direct.resources.get(key('new')).then(() => seen.push('new')),
      store.direct.resources.get(key('none')).then(() => seen.push('none')),
      store.direct.resources.list({ scope: { type: 'all' }, limit: 9 }).then(() => seen.push('list')),
      store.read((tx) => tx.resources.get(key('new'))).then(() => seen.push('read')),
      store.read(() => Promise.reject(new Fault('NOT_FOUND', 'X', 'x'))).catch(() => seen.push('failed read')),
    ];
    await settle();
    expect(seen).toEqual(['old']);
    gate.open();
    gate.started[0]?.resolve();
    await Promise.all([writing, ...reads]);
    expect(seen.slice(1).sort()).toEqual(['failed read', 'list', 'new', 'none', 'read']);
  });

  it('holds back a refusal that follows from a commit not yet synced', async () => {
    const gate = gatedSync();
    const { store } = await openFor({ sync: gate.sync });
    gate.shut();
    const writing = write(store, 'a');
    await settle();
    let isRefused = false;
    const refused = write(store, 'a').catch(() => {
      isRefused = true;
    });
    await settle();
    expect(isRefused).toBe(false);
    gate.open();
    gate.started[0]?.resolve();
    await Promise.all([writing, refused]);
    expect(isRefused).toBe(true);
  });

  it('needs one sync for all writes of an event-loop turn, and none for functions that wrote nothing', async () => {
    let syncs = 0;
    const { store } = await openFor({
      sync: async () => {
        syncs++;
      },
    });
    await Promise.all(Array.from({ length: 50 }, (_, index) => write(store, `r${index}`)));
    expect(syncs).toBe(1);
    await store.write((tx) => tx.resources.get(key('r1')));
    expect(syncs).toBe(1);
  });

  it('runs a group again with savepoints when a function failed after a write, and groups after it likewise (Q2)', async () => {
    const { store } = await openFor();
    const ran: string[] = [];
    const effects: string[] = [];
    const one = (name: string, isBad: boolean) =>
      store.write(async (tx) => {
        ran.push(name);
        await tx.instance.setValue(name, name);
        tx.afterCommit(() => effects.push(name));
        if (isBad) throw new Fault('ABORTED', 'CONFLICT', name);
      });
    const results = await Promise.allSettled([one('a', false), one('b', true), one('c', false)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([ran, effects]).toEqual([
      ['a', 'b', 'a', 'b', 'c'],
      ['a', 'c'],
    ]);
    await Promise.allSettled([one('d', true), one('e', false)]);
    expect(ran.slice(5)).toEqual(['d', 'e']);
    const values = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => store.direct.instance.value(name)));
    expect(values).toEqual(['a', undefined, 'c', undefined, 'e']);
  });

  it('runs functions in the order in which they were submitted (Q1)', async () => {
    const { store } = await openFor();
    const order: number[] = [];
    await Promise.all(Array.from({ length: 300 }, (_, index) => store.write(async () => order.push(index))));
    expect(order).toEqual([...order].sort((left, right) => left - right));
  });

  it('ends the process when a sync fails, and acknowledges nothing any more', async () => {
    const gate = gatedSync();
    const { store, fatalErrors } = await openFor({ sync: gate.sync });
    gate.shut();
    const writing = write(store, 'a');
    await settle();
    gate.started[0]?.reject(new Error('EIO'));
    await expect(writing).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    expect(fatalErrors).toMatchObject([{ message: 'EIO' }]);
    await expect(write(store, 'b')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(fatalErrors).toHaveLength(1);
  });
});

describe('a function that waits for something else (S3, Q4)', () => {
  it('is ended with an error, leaves no trace and does not hold up others', async () => {
    const { store } = await openFor();
    let release: () => void = () => undefined;
    const outside = new Promise<void>((resolve) => {
      release = resolve;
    });
    let late: Promise<unknown> | undefined;
    const stalled = store.write(async (tx) => {
      await tx.savepoint(async () => {
        await tx.resources.insert(draft('stalled'));
        late = outside.then(() => tx.resources.insert(draft('late')));
        await outside;
      });
    });
    const other = write(store, 'other');
    await expect(stalled).rejects.toThrow('something other than its handle');
    await other;
    release();
    await expect(late).rejects.toThrow('after its function ended');
    await store.ping();
    const found = await store.direct.resources.list({ scope: { type: 'all' }, limit: 9 });
    expect(found.map((each) => each.key.name)).toEqual(['other']);
  });

  it('is ended when it reads, and later reads go on', async () => {
    const { store } = await openFor();
    const stalled = store.read(() => new Promise(() => undefined));
    const next = store.read((tx) => tx.resources.versionRange());
    await expect(stalled).rejects.toThrow('something other than its handle');
    expect(await next).toEqual({ oldest: 1, newest: 0 });
  });

  it('cannot use its handle afterwards', async () => {
    const { store } = await openFor();
    const kept = await store.write(async (tx) => ({ tx }));
    await expect(kept.tx.instance.setValue('n', '1')).rejects.toThrow('after its function ended');
    const read = await store.read(async (tx) => ({ tx }));
    await expect(read.tx.instance.value('n')).rejects.toThrow('after its function ended');
  });
});

describe('the n-th failure', () => {
  /** Three writes of several statements each; which were acknowledged. */
  const work = async (store: Store): Promise<string[]> => {
    const acknowledged: string[] = [];
    const one = (name: string): Promise<unknown> =>
      store
        .write(async (tx) => {
          await tx.resources.insert(draft(name, { labels: { l: name } }));
          await tx.savepoint(() => tx.queue.put({ kind: 'k', key: name, dueAt: 1, attempts: 0, payload: '' }));
          await tx.instance.setValue(name, name);
        })
        .then(() => acknowledged.push(name));
    await Promise.allSettled([one('a'), one('b')]);
    await Promise.allSettled([one('c')]);
    return acknowledged;
  };

  it('of any statement or commit refuses writes whole, keeps the acknowledged ones, and later writes work', async () => {
    for (let failing = 1, isDone = false; !isDone; failing++) {
      let left = Number.POSITIVE_INFINITY;
      const faults = (point: string): void => {
        if ((point === 'store.statement' || point === 'store.commit') && --left === 0)
          throw new Error(`fault ${failing}`);
      };
      const made = await makeTestStore({ durability: 'off', faults });
      left = failing;
      const acknowledged = await work(made.store);
      isDone = left > 0;
      left = Number.POSITIVE_INFINITY;
      await made.store.write((tx) => tx.resources.insert(draft('later')));
      const store = await made.reopen();
      const names = (await store.direct.resources.list({ scope: { type: 'all' }, limit: 9 })).map((r) => r.key.name);
      expect(names, `failure ${failing}`).toEqual([...acknowledged.sort(), 'later'].sort());
      for (const name of ['a', 'b', 'c']) {
        const isThere = acknowledged.includes(name);
        expect((await store.direct.instance.value(name)) === name, `failure ${failing}`).toBe(isThere);
        const labels = [{ op: 'in', key: 'l', values: [name] }] as const;
        const found = await store.direct.resources.list({ kind: 'Agent', scope: { type: 'all' }, labels, limit: 9 });
        expect(found).toHaveLength(isThere ? 1 : 0);
      }
      expect(made.fatalErrors).toEqual([]);
      await made.dispose();
      expect(failing).toBeLessThan(500);
    }
  });

  describe('of SQLite itself on a full disk, which gives up the whole transaction', () => {
    const known = loadMigrations('sqlite');
    const full = {
      durability: 'off',
      migrations: [...known, { version: known.length + 1, name: 'full', sql: 'PRAGMA max_page_count = 160' }],
    } as const;
    const tooMuch = 'x'.repeat(1_000_000);

    it('refuses only the culprit of the group (Q5)', async () => {
      const { store, reopen } = await openFor(full);
      const results = await Promise.allSettled(
        ['a', 'b', 'c'].map((name) =>
          store.write(async (tx) => {
            await tx.resources.insert(draft(name));
            if (name === 'b') await tx.instance.setValue(name, tooMuch);
          }),
        ),
      );
      const refused = { status: 'rejected', reason: { code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_FULL' } };
      expect(results).toMatchObject([{ status: 'fulfilled' }, refused, { status: 'fulfilled' }]);
      const again = await reopen();
      const names = (await again.direct.resources.list({ scope: { type: 'all' }, limit: 9 })).map((r) => r.key.name);
      expect(names).toEqual(['a', 'c']);
    });

    it('says so once, is not ready meanwhile, goes on reading, and recovers by itself', async () => {
      const lines: string[] = [];
      const note = (text: string) => void lines.push(text);
      const log = { debug: () => undefined, info: note, warn: note, error: note };
      const { store, clock } = await openFor({ ...full, log });
      lines.length = 0;
      const refused = { code: 'RESOURCE_EXHAUSTED', reason: 'STORAGE_FULL', message: "the server's disk is full" };
      for (let write = 0; write < 5; write++)
        await expect(store.write((tx) => tx.instance.setValue('big', tooMuch))).rejects.toMatchObject(refused);
      await expect(store.ping()).rejects.toMatchObject(refused);
      expect(await store.direct.instance.value('big')).toBeUndefined();
      await store.write((tx) => tx.instance.setValue('small', '1'));
      await expect(store.ping()).rejects.toMatchObject(refused);
      clock.advance(11_000);
      await store.write((tx) => tx.instance.setValue('small', '2'));
      await store.ping();
      expect(lines).toEqual([
        "the server's disk is full: writes are refused until there is room again, reads continue",
        'the disk has room again: writes are accepted',
      ]);
    });

    it('lets a function that goes on regardless write nothing', async () => {
      const { store } = await openFor(full);
      for (const name of ['after', '']) {
        const stubborn = store.write(async (tx) => {
          await tx.instance.setValue('before', '1');
          await tx.savepoint(() => tx.instance.setValue('big', tooMuch)).catch(() => undefined);
          if (name !== '') await tx.instance.setValue(name, '1');
        });
        await expect(stubborn).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
      }
      expect(await store.direct.instance.value('before')).toBeUndefined();
      expect(await store.direct.instance.value('after')).toBeUndefined();
      await store.write((tx) => tx.instance.setValue('later', '1'));
      expect(await store.direct.instance.value('later')).toBe('1');
    });
  });
});

describe('the data directory', () => {
  it('belongs to one store at a time', async () => {
    const { store, open, dataDir } = await openFor();
    await expect(open()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'DATA_DIR_IN_USE' });
    await expect(open()).rejects.toThrow(dataDir);
    await write(store, 'a');
    await store.close();
    const lock = lockDataDir(dataDir);
    await expect(open()).rejects.toMatchObject({ reason: 'DATA_DIR_IN_USE' });
    lock.release();
    const again = await open();
    expect(await again.direct.resources.get(key('a'))).toBeDefined();
    await again.close();
  });

  it('is made, with the folders above it, when missing', async () => {
    const { dataDir: parent } = await openFor();
    const dataDir = join(parent, 'one', 'two');
    const made = await makeTestStore({ dataDir });
    await write(made.store, 'a');
    const store = await made.reopen();
    expect(await store.direct.resources.get(key('a'))).toBeDefined();
    await store.close();
  });
});
