import { Fault } from '../../../base/index.ts';
import type { DumpColumnType, DumpRow, DumpTable, StoreLoad } from '../../contracts/index.ts';
import { DUMP_TABLES, INSTANCE_EPOCH, INSTANCE_RESTORE } from '../../contracts/index.ts';
import { loadMigrations } from '../../migrations/index.ts';
import { composed, type Database, type Session, type SqlValue, toCallerError } from '../connection/index.ts';
import { migrate } from '../migrate.ts';
import { hasOthers, requireNoOthers } from '../other-programs.ts';
import { deriveRows } from './derived-rows.ts';
import { type CopyOptions, OwnSession } from './own-session.ts';

/** Rows written in one statement. */
const BATCH_ROWS = 500;
const COLUMNS = composed<{ name: string }>(
  'SELECT column_name::text AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1',
);
/** Everything that a store writes, filled or derived. */
const TABLES = [
  ...DUMP_TABLES.map(({ name }) => name),
  'resource_labels',
  'resource_owners',
  'session_labels',
  'search_words',
  'activity_slots',
];
const HAS_TABLES = composed<{ found: boolean }>(`SELECT to_regclass('resources') IS NOT NULL AS found`);
const HAS_ROWS = composed<{ found: boolean }>(
  'SELECT EXISTS (SELECT 1 FROM resources) OR EXISTS (SELECT 1 FROM sessions) AS found',
);
const VALUE = composed<{ value: string }>('SELECT value FROM instance WHERE name = $1');
const END_RESTORE = composed('DELETE FROM instance WHERE name = $1');
const ARRAYS: Readonly<Record<DumpColumnType, string>> = { text: 'text[]', integer: 'bigint[]', real: 'float8[]' };

export interface PostgresLoadOptions extends CopyOptions {
  readonly nowMicros: number;
}

/** The word for a restore into the database that waits for the rest of it: no server starts on it, so its rows are all there is. */
export const postgresRestoring = (options: CopyOptions): Promise<string | undefined> =>
  asking(options, (session) => instanceValue(session, INSTANCE_RESTORE));

/** What every restore gives a new value to; undefined for a database without a schema of svc. */
export const postgresEpoch = (options: CopyOptions): Promise<string | undefined> =>
  asking(options, (session) => instanceValue(session, INSTANCE_EPOCH));

/** True for a database without a schema of svc, where nothing was ever stored, or only by a restore that was cut off. */
export const isPostgresEmpty = (options: CopyOptions): Promise<boolean> =>
  asking(options, async (session) => {
    if ((await session.first(HAS_TABLES))?.found !== true) return true;
    return (
      (await session.first(HAS_ROWS))?.found !== true || (await instanceValue(session, INSTANCE_RESTORE)) !== undefined
    );
  });

const instanceValue = async (session: Session, name: string): Promise<string | undefined> => {
  if ((await session.first(HAS_TABLES))?.found !== true) return undefined;
  return (await session.first(VALUE, [name]))?.value;
};

/** A restore is complete: servers may start. Harmless where none was begun. */
export const endPostgresRestore = async (options: CopyOptions): Promise<void> => {
  const own = await OwnSession.begin(options, 'BEGIN');
  try {
    await own.session.run(END_RESTORE, [INSTANCE_RESTORE]);
    await own.commit();
  } catch (error) {
    await own.rollback();
    throw toCallerError(error);
  }
};

/** True while servers, or other commands, are connected to the database. */
export const isPostgresInUse = (options: CopyOptions): Promise<boolean> => asking(options, hasOthers);

const asking = async <T>(options: CopyOptions, work: (session: Session) => Promise<T>): Promise<T> => {
  const own = await OwnSession.begin(options, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work(own.session);
  } catch (error) {
    throw toCallerError(error);
  } finally {
    await own.rollback();
  }
};

/**
 * Empties the database and fills it, in one transaction: until `finish` readers see what was there. The schema is brought up
 * to date first. Faults: those of migrations, and before anything changes STORE_IN_USE while a server is connected.
 */
export const openPostgresLoad = async (options: PostgresLoadOptions): Promise<StoreLoad> => {
  const { log, nowMicros } = options;
  const bringUp = async (database: Database): Promise<void> => {
    await requireNoOthers(database);
    await migrate(database, { migrations: loadMigrations('postgres'), mode: 'auto', nowMicros, log });
  };
  const own = await OwnSession.begin(options, 'BEGIN', bringUp);
  try {
    await requireNoOthers(own.session);
    await own.session.script(`TRUNCATE ${TABLES.join(', ')} RESTART IDENTITY`);
    return new PostgresLoad(own);
  } catch (error) {
    await own.rollback();
    throw toCallerError(error);
  }
};

class PostgresLoad implements StoreLoad {
  readonly #own: OwnSession;
  readonly #columns = new Map<string, ReadonlySet<string>>();

  constructor(own: OwnSession) {
    this.#own = own;
  }

  async insert(table: DumpTable, rows: readonly DumpRow[]): Promise<void> {
    try {
      for (let at = 0; at < rows.length; at += BATCH_ROWS) await this.#insert(table, rows.slice(at, at + BATCH_ROWS));
    } catch (error) {
      throw toCallerError(error);
    }
  }

  async finish(): Promise<void> {
    try {
      await deriveRows(this.#own.session);
      await this.#own.commit();
    } catch (error) {
      throw toCallerError(error);
    }
  }

  async abandon(): Promise<void> {
    await this.#own.rollback();
  }

  /** Rows of one archive have the same columns; where some lack one, they are written apart. */
  async #insert(table: DumpTable, rows: readonly DumpRow[]): Promise<void> {
    for (const [joined, alike] of Map.groupBy(rows, (row) => Object.keys(row).join(' '))) {
      const names = joined.split(' ');
      await this.#requireColumns(table.name, names);
      const arrays = names.map((name, index) => `$${index + 1}::${ARRAYS[table.columns[name] ?? 'text']}`);
      const sql = composed(
        `INSERT INTO ${table.name} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')})`,
      );
      await this.#own.session.run(
        sql,
        names.map((name): SqlValue => alike.map((row) => row[name] ?? null)),
      );
    }
  }

  async #requireColumns(table: string, names: readonly string[]): Promise<void> {
    let known = this.#columns.get(table);
    if (known === undefined) {
      known = new Set((await this.#own.session.rows(COLUMNS, [table])).map(({ name }) => name));
      this.#columns.set(table, known);
    }
    const present = known;
    const strange = names.find((name) => !present.has(name));
    if (strange !== undefined)
      throw new Fault(
        'FAILED_PRECONDITION',
        'SCHEMA_TOO_OLD',
        `this release has no column ${table}.${strange}: install the release that wrote it, or a newer one`,
      );
  }
}
