// @service postgresql
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../base/index.ts';
import { type DumpUnderTest, dumpConformance } from '../../conformance/index.ts';
import { PostgresServer, postgresProgram } from '../testing/postgres-server.ts';
import { makeTestStore, openTestStore, runSql, TestDatabases } from '../testing/test-store.ts';
import { isPostgresEmpty, isPostgresInUse, openPostgresDump, openPostgresLoad } from './index.ts';

let server: PostgresServer;
let databases: TestDatabases;

describe.skipIf(postgresProgram() === undefined)('copies of a PostgreSQL database', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
    databases = new TestDatabases(server);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  dumpConformance('PostgreSQL', async (): Promise<DumpUnderTest> => {
    const made = await makeTestStore(databases);
    const target = await databases.create({ isEmpty: true });
    let source = made.url;
    return {
      ...made,
      dump: () => openPostgresDump({ url: source, log: silentLog }),
      load: () => openPostgresLoad({ url: target, log: silentLog, nowMicros: 1 }),
      openLoaded: async () => {
        source = target;
        return (await openTestStore({ url: target })).store;
      },
      dispose: async () => {
        await made.dispose();
        await databases.drop(target);
      },
    };
  });

  it('are not made into a database that a server uses', async () => {
    const { url, store, dispose } = await makeTestStore(databases);
    const options = { url, log: silentLog, nowMicros: 1 };
    expect(await isPostgresInUse(options)).toBe(true);
    await expect(openPostgresLoad(options)).rejects.toMatchObject({ reason: 'STORE_IN_USE' });
    await store.close();
    const load = await openPostgresLoad(options);
    await load.abandon();
    await dispose();
  });

  it('know a server that ended a moment ago from one that is there', async () => {
    const url = await databases.create();
    const ended = { url, log: silentLog };
    const leaving = new Client({ connectionString: url, application_name: 'svc' });
    await leaving.connect();
    leaving.on('error', () => undefined);
    const asked = isPostgresInUse(ended);
    await leaving.end();
    expect(await asked).toBe(false);
    await databases.drop(url);
  });

  it('leave the schema alone of a database that is in use', async () => {
    const url = await databases.create({ isEmpty: true });
    const other = new Client({ connectionString: url, application_name: 'svc' });
    await other.connect();
    const options = { url, log: silentLog, nowMicros: 1 };
    await expect(openPostgresLoad(options)).rejects.toMatchObject({ reason: 'STORE_IN_USE' });
    expect(await runSql(url, `SELECT to_regclass('resources') AS found`)).toEqual([{ found: null }]);
    await other.end();
    await databases.drop(url);
  });

  it('know a database without anything in it', async () => {
    const bare = { url: await databases.create({ isEmpty: true }), log: silentLog };
    expect([await isPostgresEmpty(bare), await isPostgresInUse(bare)]).toEqual([true, false]);
    await expect(openPostgresDump(bare)).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'STORE_MISSING' });
    await databases.drop(bare.url);
  });
});
