// @service postgresql
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { loadMigrations, type Migration } from '../migrations/index.ts';
import { openTestStore, runSql } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

const known = loadMigrations('postgres');
const more = (count: number, sql?: string): Migration[] => [
  ...known,
  ...Array.from({ length: count }, (_, index) => {
    const version = known.length + index + 1;
    return { version, name: `step-${version}`, sql: sql ?? `CREATE TABLE t${index + 1} (a bigint)` };
  }),
];

const SNAPSHOT = join(import.meta.dirname, '..', 'migrations', 'postgres', 'schema.snapshot.txt');
const COLUMNS = `SELECT table_name, column_name, data_type, coalesce(collation_name, '') AS collation, is_nullable
  FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position`;
const INDEXES = `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`;

withPostgres('migrations on PostgreSQL', (postgres) => {
  const open = async (url: string, migrations: readonly Migration[], mode: 'auto' | 'manual' = 'auto') => {
    const { store } = await openTestStore({ url, migrations, migrate: mode });
    await store.close();
  };
  const tables = async (url: string): Promise<string[]> => {
    const rows = await runSql(url, `SELECT tablename FROM pg_tables WHERE tablename ~ '^t[0-9]' ORDER BY tablename`);
    return rows.map((row) => String(row['tablename']));
  };

  it('build the schema of the snapshot', async () => {
    const url = await postgres.databases.create();
    const columns = (await runSql(url, COLUMNS)).map((row) => {
      const type = `${row['data_type']}${row['collation'] === '' ? '' : ` COLLATE "${row['collation']}"`}`;
      return `${row['table_name']}.${row['column_name']} ${type}${row['is_nullable'] === 'YES' ? ' NULL' : ''}`;
    });
    const indexes = (await runSql(url, INDEXES)).map((row) => `${row['indexdef']};`);
    expect(`${[...columns, '', ...indexes].join('\n')}\n`).toBe(readFileSync(SNAPSHOT, 'utf8'));
  });

  it('give every table and column the name it has on SQLite', async () => {
    const sqlite = new DatabaseSync(':memory:');
    onTestFinished(() => sqlite.close());
    for (const migration of loadMigrations('sqlite')) sqlite.exec(migration.sql);
    const names = sqlite
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'
         AND name NOT GLOB 'search_words*' AND name NOT GLOB 'search_paths*' AND name <> 'search_sketches'`)
      .all()
      .map((row) => String(row['name']));
    const onSqlite = names.flatMap((table) =>
      sqlite
        .prepare('SELECT name FROM pragma_table_info(?)')
        .all(table)
        .map((column) => `${table}.${column['name']}`),
    );
    const url = await postgres.databases.create();
    const onPostgres = (await runSql(url, COLUMNS))
      .filter((row) => !['search_words', 'schema_migrations', 'activity_slots'].includes(String(row['table_name'])))
      .map((row) => `${row['table_name']}.${row['column_name']}`);
    expect(onPostgres.sort()).toEqual(onSqlite.sort());
  });

  it('apply once, in order, though several nodes start at once', async () => {
    const url = await postgres.databases.create({ isEmpty: true });
    await Promise.all([1, 2, 3, 4].map(() => open(url, more(2))));
    expect(await tables(url)).toEqual(['t1', 't2']);
    const noted = await runSql(url, 'SELECT version::integer AS version, name FROM schema_migrations ORDER BY version');
    expect(noted).toEqual(more(2).map(({ version, name }) => ({ version, name })));
    expect(await runSql(url, 'SELECT count(*)::integer AS epochs FROM instance WHERE name = $1', ['epoch'])).toEqual([
      { epochs: 1 },
    ]);
  });

  it('have none of the time limits of a call, and wait for a process that is slow', async () => {
    const url = await postgres.databases.create();
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    const read = `SELECT name, setting FROM pg_settings WHERE name IN (${limits.map((name) => `'${name}'`).join()})`;
    await open(url, more(1, `CREATE TABLE t1 AS ${read}`));
    const rows = await runSql(url, 'SELECT name, setting FROM t1 ORDER BY name');
    expect(rows.map((row) => `${row['name']} ${row['setting']}`)).toEqual([
      'idle_in_transaction_session_timeout 0',
      'lock_timeout 0',
      'statement_timeout 0',
    ]);
  });

  it('undo a step that fails and keep the ones before it', async () => {
    const url = await postgres.databases.create();
    const steps = more(2);
    const broken = [
      ...steps,
      { version: steps.length + 1, name: 'broken', sql: 'CREATE TABLE t3 (a bigint); SELECT no' },
    ];
    await expect(open(url, broken)).rejects.toMatchObject({ code: 'UNAVAILABLE', reason: 'STORAGE' });
    expect(await tables(url)).toEqual(['t1', 't2']);
    await open(url, more(3));
    expect(await tables(url)).toEqual(['t1', 't2', 't3']);
  });

  it('wait for the operator in manual mode, except on a new database', async () => {
    const url = await postgres.databases.create({ isEmpty: true });
    await open(url, known, 'manual');
    const tooOld = { code: 'FAILED_PRECONDITION', reason: 'SCHEMA_TOO_OLD' };
    await expect(open(url, more(1), 'manual')).rejects.toMatchObject(tooOld);
    expect(await tables(url)).toEqual([]);
  });

  it('accept the schema of the next release and stop at a newer one', async () => {
    const url = await postgres.databases.create();
    await open(url, more(1));
    await open(url, known);
    await open(url, more(2));
    const tooNew = { code: 'FAILED_PRECONDITION', reason: 'SCHEMA_TOO_NEW' };
    await expect(open(url, known)).rejects.toMatchObject(tooNew);
  });

  it('refuse a database that does not keep every text', async () => {
    await runSql(
      postgres.server.url('postgres'),
      `CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`,
    );
    const unsuitable = { code: 'FAILED_PRECONDITION', reason: 'DATABASE_UNSUITABLE' };
    await expect(open(postgres.server.url('latin'), known)).rejects.toMatchObject(unsuitable);
  });

  it('go on behind rows that were copied in with their numbers', async () => {
    const url = await postgres.databases.create();
    await runSql(
      url,
      `INSERT INTO changes SELECT 7, 'created', '', 'Agent', 'n', '', 'a', '', 'u', 1, 1, 1, 0, '{}', '{}', '[]', '[]', '{}', '{}';
       INSERT INTO sessions SELECT 9, 's', 'n', 'a', 'IDLE', 0, 0, 1, 1, 0, '', 0, '', 0, '{}', '{}';
       INSERT INTO audit SELECT 5, 'i', 1, '', '', '', '', '', '', ''`,
    );
    const { store } = await openTestStore({ url });
    onTestFinished(() => store.close());
    expect((await store.direct.resources.versionRange()).newest).toBe(7);
    await runSql(
      url,
      `INSERT INTO sessions (id, namespace, agent, state, fence, epoch, created_at, last_active, open_turns,
      active_turn_id, admission, last_message_id, last_sequence, labels, body)
      SELECT 's2', 'n', 'a', 'IDLE', 0, 0, 1, 1, 0, '', 0, '', 0, '{}', '{}'`,
    );
    const [row] = await runSql(url, `SELECT row::integer AS row FROM sessions WHERE id = 's2'`);
    expect(row).toEqual({ row: 10 });
  });
});
