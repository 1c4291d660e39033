// @service postgresql
import { afterAll, beforeAll, describe } from 'vitest';
import { storeConformance } from '../conformance/index.ts';
import { PostgresServer, postgresProgram } from './testing/postgres-server.ts';
import { makeTestStore, TestDatabases } from './testing/test-store.ts';

let server: PostgresServer;
let databases: TestDatabases;

describe.skipIf(postgresProgram() === undefined)('a PostgreSQL server', () => {
  beforeAll(async () => {
    server = await PostgresServer.start();
    databases = new TestDatabases(server);
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  storeConformance('PostgreSQL', () => makeTestStore(databases));
});
