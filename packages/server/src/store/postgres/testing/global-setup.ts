import type { TestProject } from 'vitest/node';
import { PostgresServer, postgresProgram } from './postgres-server.ts';
import { TestDatabases } from './test-store.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Address of a PostgreSQL server whose template database is migrated; absent where tests run on SQLite. */
    postgresServer: string;
  }
}

/** One server for all files of the project that runs the suites of SQLite on PostgreSQL; fails where there is none. */
// biome-ignore lint/style/noDefaultExport: vitest calls the default export of a global set-up.
export default async (project: TestProject): Promise<() => Promise<void>> => {
  if (postgresProgram() === undefined) throw new Error('PostgreSQL is not installed');
  const server = await PostgresServer.start();
  await new TestDatabases(server).create();
  project.provide('postgresServer', server.url('postgres'));
  return () => server[Symbol.asyncDispose]();
};
