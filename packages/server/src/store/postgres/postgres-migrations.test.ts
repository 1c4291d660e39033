// @service postgresql
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ManualClock, silentLog } from '../../base/index.ts';
import { draft, key } from '../conformance/index.ts';
import { INSTANCE_LAST_BACKUP } from '../contracts/index.ts';
import { loadMigrations } from '../migrations/index.ts';
import { openPostgresMigrations } from './index.ts';
import { PostgresServer, postgresProgram } from './testing/postgres-server.ts';
import { makeTestStore, openTestStore, runSql, TestDatabases } from './testing/test-store.ts';

const COLUMNS = `SELECT table_name, column_name, data_type, collation_name, is_nullable FROM information_schema.columns
  WHERE table_schema = 'public' ORDER BY 1, 2`;
const INDEXES = `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1`;
const HOUR = 3_600_000_000;

let server: PostgresServer;
let databases: TestDatabases;

const closedStore = async () => {
  const made = await makeTestStore(databases);
  onTestFinished(made.dispose);
  await made.store.write((tx) => tx.resources.insert(draft('kept')));
  for (const body of ['former', 'newest']) await made.store.write((tx) => tx.resources.setActivity('u', body));
  await made.store.close();
  const { url } = made;
  const clock = new ManualClock(100 * HOUR);
  const shape = async () => [await runSql(url, COLUMNS), await runSql(url, INDEXES)];
  return { url, clock, shape, options: { url, clock, log: silentLog } };
};

const versions = (steps: readonly { readonly version: number }[]): readonly number[] =>
  steps.map(({ version }) => version);

describe.skipIf(postgresProgram() === undefined)('migrations of a PostgreSQL database by hand', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
    databases = new TestDatabases(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('go down and up again to the same schema, and lose nothing the older release knows', async () => {
    const { url, shape, options } = await closedStore();
    const newest = loadMigrations('postgres').length;
    const before = await shape();
    const schema = await openPostgresMigrations(options);
    expect(versions(await schema.down())).toEqual([newest]);
    expect(versions(await schema.down(1))).toEqual(
      Array.from({ length: newest - 2 }, (_, index) => newest - 1 - index),
    );
    expect(await shape()).not.toEqual(before);
    expect(await schema.status()).toMatchObject({ applied: 1, known: newest });
    expect(versions(await schema.up({ isAgreed: false }))).toEqual(
      Array.from({ length: newest - 1 }, (_, index) => index + 2),
    );
    expect(await schema.up({ isAgreed: false })).toEqual([]);
    await schema.close();
    expect(await shape()).toEqual(before);
    const { store } = await openTestStore({ url });
    expect((await store.direct.resources.get(key('kept')))?.key.name).toBe('kept');
    expect((await store.direct.resources.activity(['u'])).get('u')).toBe('newest');
    await store.close();
  });

  it('do not go down under a server', async () => {
    const { url, options, shape } = await closedStore();
    const before = await shape();
    const { store } = await openTestStore({ url });
    const schema = await openPostgresMigrations(options);
    await expect(schema.down()).rejects.toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'STORE_IN_USE' });
    await schema.close();
    await store.close();
    expect(await shape()).toEqual(before);
  });

  it('leave a step as it was when it fails half-way or is final', async () => {
    const { options, shape } = await closedStore();
    const known = loadMigrations('postgres');
    const version = known.length + 1;
    const broken = { version, name: 'broken', sql: 'CREATE TABLE half (x bigint); SELECT nonsense' };
    const before = await shape();
    const schema = await openPostgresMigrations({ ...options, migrations: [...known, broken] });
    await expect(schema.up({ isAgreed: true })).rejects.toThrow();
    expect(await schema.status()).toMatchObject({ applied: known.length });
    await expect(schema.down(0)).rejects.toMatchObject({ reason: 'MIGRATION_FINAL' });
    await schema.close();
    expect(await shape()).toEqual(before);
  });

  it('contract only with a yes or a backup of the last day', async () => {
    const { url, clock, options } = await closedStore();
    const known = loadMigrations('postgres');
    const contracting = {
      ...{ version: known.length + 1, name: 'contracting', isContracting: true },
      ...{ sql: '-- contracting\nALTER TABLE artifacts DROP COLUMN body', down: 'SELECT 1' },
    };
    const migrations = [...known, contracting];
    const schema = await openPostgresMigrations({ ...options, migrations });
    await expect(schema.up({ isAgreed: false })).rejects.toMatchObject({ reason: 'BACKUP_NEEDED' });
    await expect(openTestStore({ url, clock, migrations })).rejects.toMatchObject({ reason: 'BACKUP_NEEDED' });
    const at = String(clock.nowMicros() - HOUR);
    await runSql(url, 'INSERT INTO instance (name, value) VALUES ($1, $2)', [INSTANCE_LAST_BACKUP, at]);
    expect(versions(await schema.up({ isAgreed: false }))).toEqual([contracting.version]);
    await schema.close();
  });

  it('need a store, and a database that can be reached', async () => {
    const url = await databases.create({ isEmpty: true });
    const options = { url, clock: new ManualClock(), log: silentLog };
    await expect(openPostgresMigrations(options)).rejects.toMatchObject({ reason: 'STORE_MISSING' });
    await databases.drop(url);
    await expect(openPostgresMigrations(options)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
