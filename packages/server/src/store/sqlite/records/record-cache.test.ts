import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault, ManualClock, seededRandom, silentLog } from '../../../base/index.ts';
import { id, session } from '../../conformance/store-under-test.ts';
import type { ResourceDraft, Store, WriteTx } from '../../contracts/index.ts';
import { openSqliteStore } from '../index.ts';
import { RecordCache } from './record-cache.ts';

const draft = (text: string): ResourceDraft => ({
  key: { kind: 'Agent', namespace: 'default', parent: '', name: 'helper' },
  apiVersion: 'svc/v1',
  uid: 'u1',
  generation: 1,
  createdAt: 1,
  labels: {},
  annotations: {},
  owners: [],
  finalizers: [],
  spec: JSON.stringify({ text }),
  status: '{}',
});

describe('records kept between reads', () => {
  let dir = '';
  let store: Store;
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'svc-cache-'));
    store = await openSqliteStore({
      dataDir: dir,
      clock: new ManualClock(),
      random: seededRandom(1),
      log: silentLog,
      durability: 'off',
      fatal: () => undefined,
    });
  });
  afterEach(async () => {
    await store.close();
    rmSync(dir, { recursive: true });
  });
  const { key } = draft('');
  const specOf = async (): Promise<string | undefined> => (await store.direct.resources.get(key))?.spec;
  const change = async (tx: WriteTx, text: string): Promise<void> => {
    const current = await tx.resources.get(key);
    if (current !== undefined) await tx.resources.replace(draft(text), current.version, ['spec']);
  };

  it('shows a transaction its own writes and others only what is committed', async () => {
    await store.write((tx) => tx.resources.insert(draft('one')));
    expect(await specOf()).toBe('{"text":"one"}');
    const inside = await store.write(async (tx) => {
      await change(tx, 'two');
      return (await tx.resources.get(key))?.spec;
    });
    expect(inside).toBe('{"text":"two"}');
    expect(await specOf()).toBe('{"text":"two"}');
  });

  it('forgets what a failed transaction or savepoint wrote', async () => {
    await store.write((tx) => tx.resources.insert(draft('one')));
    await specOf();
    await expect(
      store.write(async (tx) => {
        await change(tx, 'bad');
        await tx.resources.get(key);
        throw new Fault('ABORTED', 'CONFLICT', 'no');
      }),
    ).rejects.toThrow('no');
    expect(await specOf()).toBe('{"text":"one"}');
    const seen = await store.write(async (tx) => {
      await tx
        .savepoint(async () => {
          await change(tx, 'worse');
          throw new Fault('ABORTED', 'CONFLICT', 'no');
        })
        .catch(() => undefined);
      return (await tx.resources.get(key))?.spec;
    });
    expect(seen).toBe('{"text":"one"}');
    expect(await specOf()).toBe('{"text":"one"}');
  });

  it('keeps no record that was removed', async () => {
    const stored = await store.write((tx) => tx.resources.insert(draft('one')));
    await specOf();
    await store.write((tx) => tx.resources.remove(key, stored.version));
    expect(await specOf()).toBeUndefined();
    expect(await store.write((tx) => tx.resources.get(key))).toBeUndefined();
  });

  it('shows each of many transactions of one group the writes before it', async () => {
    await store.write((tx) => tx.resources.insert(draft('0')));
    const seen = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.write(async (tx) => {
          const before = (await tx.resources.get(key))?.spec;
          await change(tx, String(index + 1));
          return before;
        }),
      ),
    );
    expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => JSON.stringify({ text: String(index) })));
  });

  it('shows activity as committed, to others than its writer only then, and none after a rollback or a removal', async () => {
    const stored = await store.write((tx) => tx.resources.insert(draft('one')));
    const activity = async (): Promise<string | undefined> => (await store.direct.resources.activity(['u1'])).get('u1');
    expect(await activity()).toBeUndefined();
    const inside = await store.write(async (tx) => {
      await tx.resources.setActivity('u1', '{"n":1}');
      return (await tx.resources.activity(['u1'])).get('u1');
    });
    expect([inside, await activity()]).toEqual(['{"n":1}', '{"n":1}']);
    const failed = store.write(async (tx) => {
      await tx.resources.setActivity('u1', '{"n":2}');
      throw new Fault('ABORTED', 'CONFLICT', 'no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await activity()).toBe('{"n":1}');
    await store.write((tx) => tx.resources.remove(key, stored.version));
    expect(await activity()).toBeUndefined();
  });

  it('keeps records within a bound of text, however large each is', () => {
    const cache = new RecordCache();
    const record = (name: string) => ({
      ...draft('x'.repeat(1_000_000)),
      ...{ key: { ...key, name }, version: 1, updatedAt: 1 },
    });
    for (let index = 0; index < 100; index++) cache.offer(record(`r-${index}`));
    expect(cache.committed({ ...key, name: 'r-0' })).toBeUndefined();
    expect(cache.committed({ ...key, name: 'r-99' })).toBeDefined();
  });

  it('shows rows of sessions to their writer at once, to others as committed, and none that is gone', async () => {
    const one = session(id(1), { body: '{"n":1}' });
    const body = async (): Promise<string | undefined> => (await store.direct.log.session(id(1)))?.body;
    await store.write((tx) => tx.log.insertSession(one));
    expect(await body()).toBe('{"n":1}');
    const inside = await store.write(async (tx) => {
      await tx.log.saveSession({ ...one, body: '{"n":2}', labels: { a: 'b' } });
      return (await tx.log.lockSession(id(1)))?.labels;
    });
    expect([inside, await body()]).toEqual([{ a: 'b' }, '{"n":2}']);
    const failed = store.write(async (tx) => {
      await tx.log.saveSession({ ...one, body: '{"n":3}' });
      throw new Fault('ABORTED', 'CONFLICT', 'no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await body()).toBe('{"n":2}');
    expect(await store.write(async (tx) => (await tx.log.lockSession(id(1)))?.body)).toBe('{"n":2}');
    await store.write((tx) => tx.log.deleteSession(id(1)));
    expect(await body()).toBeUndefined();
  });
});
