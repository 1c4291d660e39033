import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Connection } from './connection.ts';
import { DirectReads, SnapshotReads } from './read-gate.ts';
import { createTables } from './tables/index.ts';
import { makeTestStore } from './testing/test-store.ts';
import { WalSyncer } from './wal-syncer.ts';

const ioError = (): never => {
  throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
};

/** Reads over a connection of which the statements fail while `broken.is`. */
const openReads = async () => {
  const made = await makeTestStore({ durability: 'off' });
  const broken = { is: false };
  const faults = (): void => void (broken.is && ioError());
  const connection = new Connection(join(made.dataDir, 'svc.db'), { isSynced: false, isReader: true, faults });
  onTestFinished(async () => {
    connection.close();
    await made.dispose();
  });
  const syncer = new WalSyncer({ sync: async () => undefined, fatal: ioError });
  const tables = createTables(connection);
  const snapshots = new SnapshotReads(connection, tables, syncer);
  const direct = new DirectReads(connection, { tables, syncer, durableVersion: () => 0 });
  return { broken, connection, snapshots, direct };
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const unavailable = { code: 'UNAVAILABLE', reason: 'STORAGE' };

it('reads go on after one that could not begin, also for those that waited behind it', async () => {
  const { broken, snapshots } = await openReads();
  broken.is = true;
  const failing = snapshots.read((tx) => tx.instance.value('epoch'));
  const waiting = snapshots.read((tx) => tx.instance.value('epoch'));
  await expect(failing).rejects.toMatchObject(unavailable);
  await expect(waiting).rejects.toMatchObject(unavailable);
  broken.is = false;
  expect(await snapshots.read((tx) => tx.instance.value('epoch'))).toBeDefined();
});

it('reads go on after an error that ended the snapshot', async () => {
  const { connection, snapshots } = await openReads();
  const ended = snapshots.read(async () => {
    connection.database.exec('ROLLBACK');
    ioError();
  });
  await expect(ended).rejects.toThrow('disk I/O error');
  expect(await snapshots.read((tx) => tx.instance.value('epoch'))).toBeDefined();
});

it('single reads go on after one that could not begin, and the process with them', async () => {
  const { broken, direct } = await openReads();
  broken.is = true;
  expect(() => direct.enter()).toThrow(expect.objectContaining(unavailable));
  await turn();
  broken.is = false;
  direct.enter();
  expect(direct.tables.instance.value('epoch')).toBeDefined();
  await turn();
});

it('reads that wait while the store closes are refused', async () => {
  const { store, dispose } = await makeTestStore({ durability: 'off' });
  onTestFinished(dispose);
  const reads = [1, 2, 3].map(() => store.read((tx) => tx.instance.value('epoch')));
  const closing = store.close();
  const settled = await Promise.allSettled(reads);
  expect(settled.map(({ status }) => status)).toContain('fulfilled');
  for (const each of settled)
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'UNAVAILABLE' });
  await closing;
});
