import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';
import type { PostgresStoreOptions } from '../index.ts';
import { PostgresServer, type PostgresServerOptions, postgresProgram } from './postgres-server.ts';
import { makeTestStore, openTestStore, TestDatabases } from './test-store.ts';

/** What the tests of one file share. */
export interface Postgres {
  /** The running server. */
  readonly server: PostgresServer;
  readonly databases: TestDatabases;
  /** Stores of different processes on one fresh database; closed when the test has finished. */
  stores(count: number, options?: Partial<PostgresStoreOptions>): Promise<Awaited<ReturnType<typeof makeTestStore>>[]>;
}

const START_MS = 60_000;

/** A block of tests on a server of their own; left out, with a word, on a machine without PostgreSQL. */
export const withPostgres = (
  title: string,
  tests: (postgres: Postgres) => void,
  options: PostgresServerOptions = {},
): void => {
  let server: PostgresServer | undefined;
  let databases: TestDatabases | undefined;
  const started = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error('the server is started before the tests run');
    return value;
  };
  describe.skipIf(postgresProgram() === undefined)(title, () => {
    beforeAll(async () => {
      server = await PostgresServer.start(options);
      databases = new TestDatabases(server);
    }, START_MS);
    afterAll(() => server?.[Symbol.asyncDispose]());
    tests({
      get server() {
        return started(server);
      },
      get databases() {
        return started(databases);
      },
      stores: async (count, more = {}) => {
        const first = await makeTestStore(started(databases), more);
        onTestFinished(first.dispose);
        const made = [first];
        for (let index = 1; index < count; index++) {
          const { store } = await openTestStore({ ...more, url: first.url, clock: first.clock });
          onTestFinished(() => store.close());
          made.push({ ...first, store });
        }
        return made;
      },
    });
  });
};
