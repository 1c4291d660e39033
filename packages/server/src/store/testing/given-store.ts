import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock, Log, Random } from '../../base/index.ts';
import type { Store } from '../contracts/index.ts';
import { openPostgresStore } from '../postgres/index.ts';
import { type GivenDatabase, givenDatabase } from '../postgres/testing/given-database.ts';
import { runSql } from '../postgres/testing/test-store.ts';
import { openSqliteStore } from '../sqlite/index.ts';
import { placeEmptyDatabase } from '../sqlite/testing/empty-database.ts';
import { countedStore } from './quiet-store.ts';

export interface GivenStoreOptions {
  /** Where SQLite keeps its files; on PostgreSQL only the name by which the same database is found again. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly fatal: (error: unknown) => void;
  /** Vectors are compared in the store. */
  readonly vectors?: boolean;
}

/** Enough for a test: every connection costs the start of a process. */
const POOL_SIZE = 4;
const databases = new Map<string, Promise<GivenDatabase | undefined>>();

/** Undefined where tests run on SQLite. */
const databaseOf = (dataDir: string): Promise<GivenDatabase | undefined> => {
  const found = databases.get(dataDir) ?? givenDatabase();
  databases.set(dataDir, found);
  return found;
};

/**
 * Opens the store of a data directory on the engine that this run is about: SQLite, or in the run that repeats tests on
 * PostgreSQL a database of the directory's own. Its time is that of the given clock on both. Opened again, it holds what
 * it held before, until `removeGivenStore`.
 */
export const openGivenStore = async (options: GivenStoreOptions): Promise<Store> => {
  const { dataDir, fatal, ...common } = options;
  const database = await databaseOf(dataDir);
  if (database === undefined) {
    await placeEmptyDatabase(dataDir);
    return openSqliteStore({ ...common, dataDir, fatal, durability: 'off' });
  }
  const store = await openPostgresStore({
    ...common,
    ...{ url: database.url, poolSize: POOL_SIZE, sync: 'off', serverMicros: common.clock.nowMicros() },
    // The clocks of tests stand still while a write waits for its next run.
    pause: (ms) => setTimeout(ms),
  });
  return countedStore(store);
};

/** Removes the database of a data directory, if it has one; the files are the caller's. */
export const removeGivenStore = async (dataDir: string): Promise<void> => {
  const database = databases.get(dataDir);
  databases.delete(dataDir);
  await (await database)?.drop();
};

/** Runs statements behind the back of a store that `openGivenStore` opened, as somebody with access to its data would. */
export const changeGivenStore = async (dataDir: string, statements: string): Promise<void> => {
  const database = await databases.get(dataDir);
  if (database !== undefined) {
    await runSql(database.url, statements);
    return;
  }
  const beside = new DatabaseSync(join(dataDir, 'svc.db'), { timeout: 5_000 });
  beside.exec(statements);
  beside.close();
  // Single reads keep their snapshot for the rest of the event-loop turn.
  await setImmediate();
};

/** Whether a transaction of a store that `openGivenStore` opened waits for a lock that another one has; never on SQLite. */
export const waitsInGivenStore = async (dataDir: string): Promise<boolean> => {
  const database = await databases.get(dataDir);
  if (database === undefined) return false;
  const [row] = await runSql(
    database.url,
    `SELECT count(*) > 0 AS waits FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row?.['waits'] === true;
};

/** All that a store which `openGivenStore` opened has written: the bytes of its files, or its rows. */
export const bytesOfGivenStore = async (dataDir: string): Promise<Buffer> => {
  const database = await databases.get(dataDir);
  if (database === undefined) {
    const files = readdirSync(dataDir, { withFileTypes: true }).filter((entry) => entry.isFile());
    return Buffer.concat(files.map((entry) => readFileSync(join(dataDir, entry.name))));
  }
  const tables = await runSql(database.url, `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`);
  const rows = await Promise.all(
    tables.map(({ name }) => runSql(database.url, `SELECT row_to_json(t)::text AS text FROM ${String(name)} t`)),
  );
  return Buffer.from(
    rows
      .flat()
      .map(({ text }) => String(text))
      .join('\n'),
  );
};
