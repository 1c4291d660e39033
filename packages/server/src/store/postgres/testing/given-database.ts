import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { runSql, TEMPLATE } from './test-store.ts';

/** A migrated database for one test or suite. */
export interface GivenDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** A fresh database of the server that the project of this run started; undefined where tests run on SQLite. */
export const givenDatabase = async (): Promise<GivenDatabase | undefined> => {
  const server = inject('postgresServer') as string | undefined;
  if (server === undefined) return undefined;
  const name = `given_${randomUUID().replaceAll('-', '')}`;
  await runSql(server, `CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  return {
    url: server.replace(/[^/]*$/, name),
    drop: async () => {
      await runSql(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
};
