import { Fault, type Log } from '../../base/index.ts';
import { type Migration, pendingMigrations } from '../migrations/index.ts';
import { composed, type Database, type Session, statement, toCallerError } from './connection/index.ts';

const CREATE_TABLE = composed(`CREATE TABLE IF NOT EXISTS schema_migrations (
  version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)`);
const HAS_TABLE = composed<{ found: boolean }>(`SELECT to_regclass('schema_migrations') IS NOT NULL AS found`);
const APPLIED = composed<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_migrations');
const NOTE = statement('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)');
/** Held by the one node that migrates; the others wait and look again. */
const LOCK = composed(`SELECT pg_advisory_lock(hashtextextended('svc migrations', 0))`);
const UNLOCK = composed(`SELECT pg_advisory_unlock(hashtextextended('svc migrations', 0))`);
/** A migration, and the wait for the node that migrates, may take longer than a statement of a call. */
const LIMITS_OFF = composed(
  `SELECT set_config('statement_timeout', '0', false), set_config('lock_timeout', '0', false)`,
);
const LIMITS_BACK = composed(
  `SELECT set_config(name, reset_val, false) FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout')`,
);
const FACTS = composed<{ encoding: string; server_version: number }>(
  `SELECT current_setting('server_encoding') AS encoding, current_setting('server_version_num')::integer AS server_version`,
);

/** Oldest release of PostgreSQL with `pg_current_xact_id` and what else is used here. */
const OLDEST_SERVER = 140_000;

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** `manual`: pending migrations stop the start. */
  readonly mode: 'auto' | 'manual';
  readonly nowMicros: number;
  readonly log: Log;
}

/**
 * Brings the schema up to date, one transaction per migration, under a lock that spans all nodes. Faults
 * FAILED_PRECONDITION: SCHEMA_TOO_NEW, SCHEMA_TOO_OLD (manual mode), DATABASE_UNSUITABLE (encoding, release of the server).
 */
export const migrate = async (database: Database, options: MigrateOptions): Promise<void> => {
  const session = await database.acquire();
  let isClean = false;
  try {
    await requireSuitable(session);
    if ((await pendingOf(session, options)).pending.length > 0) await migrateLocked(session, options);
    isClean = true;
  } catch (error) {
    throw toCallerError(error);
  } finally {
    session.release(!isClean);
  }
};

const requireSuitable = async (session: Session): Promise<void> => {
  const { encoding, server_version: version } = await session.one(FACTS);
  if (encoding !== 'UTF8')
    throw unsuitable(`the database has the encoding ${encoding}: create it with ENCODING 'UTF8'`);
  if (version < OLDEST_SERVER) throw unsuitable('PostgreSQL 14 or newer is needed');
};

const unsuitable = (text: string): Fault => new Fault('FAILED_PRECONDITION', 'DATABASE_UNSUITABLE', text);

const pendingOf = async (session: Session, { migrations }: MigrateOptions) => {
  const isNew = !(await session.one(HAS_TABLE)).found;
  const applied = isNew ? 0 : (await session.one(APPLIED)).version;
  return { isNew, pending: pendingMigrations(migrations, applied) };
};

const migrateLocked = async (session: Session, options: MigrateOptions): Promise<void> => {
  await session.rows(LIMITS_OFF);
  await session.rows(LOCK);
  const { isNew, pending } = await pendingOf(session, options);
  if (pending.length > 0 && !isNew && options.mode === 'manual')
    throw new Fault('FAILED_PRECONDITION', 'SCHEMA_TOO_OLD', 'the store needs migrations: run `svc migrate up`');
  for (const migration of pending) {
    await apply(session, migration, options.nowMicros);
    options.log.info('migration applied', { version: migration.version, name: migration.name });
  }
  await session.rows(UNLOCK);
  await session.rows(LIMITS_BACK);
};

const apply = async (session: Session, migration: Migration, nowMicros: number): Promise<void> => {
  await session.command('BEGIN');
  try {
    await session.run(CREATE_TABLE);
    await session.script(migration.sql);
    await session.run(NOTE, [migration.version, migration.name, nowMicros]);
    await session.command('COMMIT');
  } catch (error) {
    if (session.lost === undefined) await session.command('ROLLBACK');
    throw error;
  }
};
