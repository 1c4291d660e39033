import { inject } from 'vitest';
import { type ReusedDatabase, ReusedDatabases } from './reused-databases.ts';
import { TEMPLATE } from './test-store.ts';

/** A migrated database for one test or suite. */
export type GivenDatabase = ReusedDatabase;

let databases: ReusedDatabases | undefined;

const givenServer = (): string | undefined => inject('postgresServer') as string | undefined;

/** True in the run that repeats suites on PostgreSQL. */
export const isGivenDatabase = (): boolean => givenServer() !== undefined;

/** A fresh database of the server that the project of this run started; undefined where tests run on SQLite. */
export const givenDatabase = async (): Promise<GivenDatabase | undefined> => {
  const server = givenServer();
  if (server === undefined) return undefined;
  databases ??= new ReusedDatabases(server, TEMPLATE);
  return databases.take();
};
