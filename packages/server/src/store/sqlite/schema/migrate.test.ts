import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { loadMigrations, type Migration, pendingMigrations } from '../../migrations/index.ts';
import { makeTestStore } from '../testing/test-store.ts';
import { migrate } from './migrate.ts';

const steps = (count: number): Migration[] =>
  Array.from({ length: count }, (_, index) => ({
    version: index + 1,
    name: `step-${index + 1}`,
    sql: `CREATE TABLE t${index + 1} (a INTEGER) STRICT`,
  }));

const tempDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-migrate-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const openDatabase = (dir: string) => {
  const database = new DatabaseSync(join(dir, 'svc.db'));
  onTestFinished(() => database.close());
  let time = 0;
  const run = (migrations: readonly Migration[], mode: 'auto' | 'manual' = 'auto'): void =>
    void migrate(database, { migrations, backupDir: join(dir, 'backups'), mode, nowMicros: ++time, log: silentLog });
  const tables = (): string[] =>
    database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 't[0-9]*' ORDER BY name`)
      .all()
      .map((row) => String(row['name']));
  return { database, run, tables };
};

describe('migrations', () => {
  it('build the schema of the snapshot', () => {
    const database = new DatabaseSync(':memory:');
    for (const migration of loadMigrations('sqlite')) database.exec(migration.sql);
    const schema = database
      .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name')
      .all()
      .map((row) => `${String(row['sql'])};`)
      .join('\n\n');
    const snapshot = join(import.meta.dirname, '..', '..', 'migrations', 'sqlite', 'schema.snapshot.txt');
    expect(`${schema}\n`).toBe(readFileSync(snapshot, 'utf8'));
  });

  it('apply once, in order, and note themselves', () => {
    const { run, tables, database } = openDatabase(tempDir());
    run(steps(2));
    run(steps(2));
    expect(tables()).toEqual(['t1', 't2']);
    const noted = database.prepare('SELECT version, name FROM schema_migrations').all();
    expect(noted).toEqual([
      { version: 1, name: 'step-1' },
      { version: 2, name: 'step-2' },
    ]);
  });

  it('copy an existing database before the first step, and keep three copies', () => {
    const dir = tempDir();
    const { run } = openDatabase(dir);
    run(steps(1));
    expect(readdirSync(dir)).not.toContain('backups');
    for (let count = 2; count <= 6; count++) run(steps(count));
    const copies = readdirSync(join(dir, 'backups')).sort();
    expect(copies).toEqual(['schema-0003-4.db', 'schema-0004-5.db', 'schema-0005-6.db']);
    const copy = new DatabaseSync(join(dir, 'backups', 'schema-0005-6.db'));
    expect(copy.prepare('SELECT max(version) AS version FROM schema_migrations').get()).toEqual({ version: 5 });
    copy.close();
  });

  it('leave no copy that was cut off, nor count one, and keep the newest whatever the clock said before', () => {
    const dir = tempDir();
    const { run, database, tables } = openDatabase(dir);
    run(steps(1));
    const backups = join(dir, 'backups');
    mkdirSync(backups);
    const later = [97, 98, 99].map((time) => `schema-0000-${time}.db`);
    for (const name of ['schema-0001-1.db.part', 'schema-0001-1.db.part-journal', ...later])
      writeFileSync(join(backups, name), '');
    database.exec('BEGIN');
    expect(() => run(steps(2))).toThrow('VACUUM');
    database.exec('COMMIT');
    expect([tables(), readdirSync(backups).sort()]).toEqual([['t1'], later]);
    run(steps(2));
    expect(readdirSync(backups).sort()).toEqual([...later.slice(1), 'schema-0001-3.db']);
  });

  it('undo a step that fails and keep the ones before it', () => {
    const { run, tables } = openDatabase(tempDir());
    const broken = [...steps(2), { version: 3, name: 'broken', sql: 'CREATE TABLE t3 (a INTEGER); SELECT nothing' }];
    expect(() => run(broken)).toThrow();
    expect(tables()).toEqual(['t1', 't2']);
    run(steps(3));
    expect(tables()).toEqual(['t1', 't2', 't3']);
  });

  it('wait for the operator in manual mode, except on a new database', () => {
    const { run, tables } = openDatabase(tempDir());
    run(steps(1), 'manual');
    expect(() => run(steps(2), 'manual')).toThrow('svc migrate up');
    expect(tables()).toEqual(['t1']);
  });

  it('accept the schema of the next release and stop at a newer one', async () => {
    expect(pendingMigrations(steps(2), 3)).toEqual([]);
    const tooNew = { code: 'FAILED_PRECONDITION', reason: 'SCHEMA_TOO_NEW' };
    expect(() => pendingMigrations(steps(2), 4)).toThrow(expect.objectContaining(tooNew));
    const made = await makeTestStore({});
    onTestFinished(made.dispose);
    await made.store.close();
    const ahead = new DatabaseSync(join(made.dataDir, 'svc.db'));
    ahead.exec(`INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'future', 1)`);
    ahead.close();
    await expect(made.open()).rejects.toMatchObject(tooNew);
  });
});
