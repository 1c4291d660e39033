import { Fault, type Log } from '../../base/index.ts';
import { INSTANCE_LAST_BACKUP } from '../contracts/index.ts';
import { type Migration, pendingMigrations, requireBackup } from '../migrations/index.ts';
import { composed, type Database, type Session, statement, toCallerError } from './connection/index.ts';

const CREATE_TABLE = composed(`CREATE TABLE IF NOT EXISTS schema_migrations (
  version bigint PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)`);
const HAS_TABLE = composed<{ found: boolean }>(`SELECT to_regclass('schema_migrations') IS NOT NULL AS found`);
const APPLIED = composed<{ version: number }>('SELECT coalesce(max(version), 0) AS version FROM schema_migrations');
const FORGET = statement('DELETE FROM schema_migrations WHERE version = $1');
const NOTE = statement('INSERT INTO schema_migrations (version, name, applied_at) VALUES ($1, $2, $3)');
const LAST_BACKUP = composed<{ value: string }>('SELECT value FROM instance WHERE name = $1');
/** Held by the one node that migrates; the others wait and look again. */
const LOCK = composed(`SELECT pg_advisory_lock(hashtextextended('svc migrations', 0))`);
const UNLOCK = composed(`SELECT pg_advisory_unlock(hashtextextended('svc migrations', 0))`);
/** A migration, and the wait for the node that migrates, may take longer than a statement of a call; so may a process that is busy with its start. */
const LIMITS = `'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'`;
const LIMITS_OFF = composed(`SELECT set_config(name, '0', false) FROM unnest(ARRAY[${LIMITS}]) AS l (name)`);
const LIMITS_BACK = composed(`SELECT set_config(name, reset_val, false) FROM pg_settings WHERE name IN (${LIMITS})`);
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

/** For a database in which svc never started. */
export const storeMissing = (): Fault =>
  new Fault('NOT_FOUND', 'STORE_MISSING', 'there is no store in the database of store.url: start svc on it');

/** Newest step that was applied; 0 for a database without a schema of svc. */
export const appliedVersion = async (session: Session): Promise<number> =>
  (await session.one(HAS_TABLE)).found ? (await session.one(APPLIED)).version : 0;

const pendingOf = async (session: Session, { migrations }: MigrateOptions) => {
  const applied = await appliedVersion(session);
  return { isNew: applied === 0, pending: pendingMigrations(migrations, applied) };
};

/** Runs `work` while no other node migrates, without the limits of a call. A failure leaves the lock to the end of the session. */
export const withMigrationLock = async <T>(session: Session, work: () => Promise<T>): Promise<T> => {
  session.isPatient = true;
  await session.rows(LIMITS_OFF);
  await session.rows(LOCK);
  const done = await work();
  await session.rows(UNLOCK);
  await session.rows(LIMITS_BACK);
  session.isPatient = false;
  return done;
};

const migrateLocked = (session: Session, options: MigrateOptions): Promise<void> =>
  withMigrationLock(session, async () => {
    const { isNew, pending } = await pendingOf(session, options);
    if (pending.length > 0 && !isNew && options.mode === 'manual')
      throw new Fault('FAILED_PRECONDITION', 'SCHEMA_TOO_OLD', 'the store needs migrations: run `svc migrate up`');
    if (!isNew) await requireFreshBackup(session, pending, { isAgreed: false, now: options.nowMicros });
    for (const migration of pending) {
      await applyMigration(session, migration, options.nowMicros);
      options.log.info('migration applied', { version: migration.version, name: migration.name });
    }
  });

/** Before steps that cannot be undone: a yes, or a backup of the last day. Fault BACKUP_NEEDED. */
export const requireFreshBackup = async (
  session: Session,
  pending: readonly Migration[],
  facts: { readonly isAgreed: boolean; readonly now: number },
): Promise<void> => {
  const lastBackupAt = Number((await session.first(LAST_BACKUP, [INSTANCE_LAST_BACKUP]))?.value ?? 0);
  requireBackup(pending, { ...facts, lastBackupAt });
};

/** One step up, in a transaction of its own. */
export const applyMigration = (session: Session, migration: Migration, nowMicros: number): Promise<void> =>
  inTransaction(session, async () => {
    await session.run(CREATE_TABLE);
    await session.script(migration.sql);
    await session.run(NOTE, [migration.version, migration.name, nowMicros]);
  });

/** One step down, in a transaction of its own; the step can be undone. */
export const undoMigration = (session: Session, { version, down = '' }: Migration): Promise<void> =>
  inTransaction(session, async () => {
    await session.script(down);
    await session.run(FORGET, [version]);
  });

const inTransaction = async (session: Session, work: () => Promise<void>): Promise<void> => {
  await session.command('BEGIN');
  try {
    await work();
    await session.command('COMMIT');
  } catch (error) {
    if (session.lost === undefined) await session.command('ROLLBACK');
    throw error;
  }
};
