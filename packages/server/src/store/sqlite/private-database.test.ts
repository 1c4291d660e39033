import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../base/index.ts';
import { loadMigrations } from '../migrations/index.ts';
import { openSqliteLoad } from './copies/index.ts';
import { openSqliteMigrations } from './schema/index.ts';
import { makeTestStore } from './testing/test-store.ts';

/** Files of a directory by their names, with their permission bits. */
const modesIn = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => [name, (statSync(join(directory, name)).mode & 0o777).toString(8)]),
  );

describe.skipIf(process.platform === 'win32')('the files of a database are for their owner only', () => {
  let umask: number;
  beforeEach(() => {
    umask = process.umask(0);
  });
  afterEach(() => void process.umask(umask));

  const made = async () => {
    const opened = await makeTestStore({ durability: 'off' });
    onTestFinished(opened.dispose);
    chmodSync(opened.dataDir, 0o777);
    return opened;
  };

  it('where they are made, whoever may enter the directory', async () => {
    const { dataDir, store } = await made();
    await store.write((tx) => tx.instance.setValue('a', 'b'));
    const modes = modesIn(dataDir);
    expect(Object.keys(modes)).toEqual(expect.arrayContaining(['lock.db', 'svc.db', 'svc.db-shm', 'svc.db-wal']));
    expect(new Set(Object.values(modes))).toEqual(new Set(['600']));
  });

  it('where a release before made them for others too', async () => {
    const { dataDir, store, open } = await made();
    const database = new DatabaseSync(join(dataDir, 'svc.db'));
    for (const name of Object.keys(modesIn(dataDir))) chmodSync(join(dataDir, name), 0o644);
    await store.close();
    database.close();
    for (const name of Object.keys(modesIn(dataDir))) chmodSync(join(dataDir, name), 0o644);
    const again = await open();
    await again.write((tx) => tx.instance.setValue('a', 'c'));
    expect(new Set(Object.values(modesIn(dataDir)))).toEqual(new Set(['600']));
    await again.close();
  });

  it('also copies from before a migration, and those that a release before made', async () => {
    const { dataDir, store } = await made();
    await store.close();
    const backups = join(dataDir, 'backups');
    mkdirSync(backups);
    const former = join(backups, 'schema-0001-1.db');
    new DatabaseSync(former).close();
    chmodSync(former, 0o644);
    const clock = { nowMicros: () => 2 } as Parameters<typeof openSqliteMigrations>[0]['clock'];
    const migrations = loadMigrations('sqlite');
    const next = { version: migrations.length + 1, name: 'next', sql: 'CREATE TABLE next (a INTEGER) STRICT' };
    const schema = await openSqliteMigrations({ dataDir, clock, log: silentLog, migrations: [...migrations, next] });
    await schema.up({ isAgreed: false });
    await schema.close();
    expect(Object.keys(modesIn(backups))).toHaveLength(2);
    expect(new Set(Object.values(modesIn(backups)))).toEqual(new Set(['600']));
  });

  it('also a database that a restore makes', async () => {
    const { dataDir } = await made();
    const file = join(dataDir, 'restored.db');
    const load = openSqliteLoad({ file, nowMicros: 1, log: silentLog });
    expect(modesIn(dataDir)['restored.db']).toBe('600');
    await load.finish();
    expect(modesIn(dataDir)['restored.db']).toBe('600');
    expect(existsSync(`${file}-wal`)).toBe(false);
  });
});
