import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock, silentLog } from '../../../base/index.ts';
import { draft, key } from '../../conformance/index.ts';
import { loadMigrations } from '../../migrations/index.ts';
import { makeTestStore } from '../testing/test-store.ts';
import { openSqliteMigrations } from './index.ts';

const schemaOf = (dataDir: string): readonly unknown[] => {
  const database = new DatabaseSync(join(dataDir, 'svc.db'), { readOnly: true });
  const rows = database.prepare('SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name').all();
  database.close();
  return rows;
};

const closedStore = async () => {
  const made = await makeTestStore({ durability: 'off' });
  onTestFinished(made.dispose);
  await made.store.write((tx) => tx.resources.insert(draft('kept')));
  await made.store.close();
  const clock = new ManualClock(1_000);
  return { ...made, migrations: () => openSqliteMigrations({ dataDir: made.dataDir, clock, log: silentLog }) };
};

const versions = (steps: readonly { readonly version: number }[]): readonly number[] =>
  steps.map(({ version }) => version);

describe('migrations by hand', () => {
  it('go down and up again to the same schema, and lose nothing the older release knows', async () => {
    const { dataDir, migrations, open } = await closedStore();
    const newest = loadMigrations('sqlite').length;
    const before = schemaOf(dataDir);
    const schema = await migrations();
    expect(versions(await schema.down(1))).toEqual(Array.from({ length: newest - 1 }, (_, index) => newest - index));
    const status = await schema.status();
    expect([status.applied, status.known, versions(status.pending).length]).toEqual([1, newest, newest - 1]);
    expect(schemaOf(dataDir)).not.toEqual(before);
    expect(versions(await schema.up({ isAgreed: false }))).toEqual(versions(status.pending));
    expect(await schema.up({ isAgreed: false })).toEqual([]);
    await schema.close();
    expect(schemaOf(dataDir)).toEqual(before);
    const again = await open();
    expect((await again.direct.resources.get(key('kept')))?.key.name).toBe('kept');
    await again.close();
  });

  it('undo one step at a time and copy the store before', async () => {
    const { dataDir, migrations } = await closedStore();
    const schema = await migrations();
    const newest = loadMigrations('sqlite').length;
    expect(versions(await schema.down())).toEqual([newest]);
    expect(readdirSync(join(dataDir, 'backups'))).toEqual([`schema-${String(newest).padStart(4, '0')}-1000.db`]);
    await schema.close();
  });

  it('leave a step as it was when it cannot be undone', async () => {
    const made = await makeTestStore({ durability: 'off' });
    onTestFinished(made.dispose);
    await made.store.close();
    const steps = loadMigrations('sqlite').map((step) => ({ ...step, down: 'DROP TABLE artifacts; SELECT nothing' }));
    const before = schemaOf(made.dataDir);
    const options = { dataDir: made.dataDir, clock: new ManualClock(), log: silentLog, migrations: steps };
    const schema = await openSqliteMigrations(options);
    await expect(schema.down()).rejects.toThrow('nothing');
    await schema.close();
    expect(schemaOf(made.dataDir)).toEqual(before);
  });

  it('need a store, and one that no server uses', async () => {
    const made = await makeTestStore({ durability: 'off' });
    onTestFinished(made.dispose);
    const options = { dataDir: made.dataDir, clock: new ManualClock(), log: silentLog };
    await expect(openSqliteMigrations(options)).rejects.toMatchObject({ reason: 'DATA_DIR_IN_USE' });
    const empty = mkdtempSync(join(tmpdir(), 'svc-empty-'));
    onTestFinished(() => rmSync(empty, { recursive: true, force: true }));
    mkdirSync(empty, { recursive: true });
    await expect(openSqliteMigrations({ ...options, dataDir: empty })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      reason: 'STORE_MISSING',
    });
    expect(readdirSync(empty)).toEqual([]);
  });
});
