import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault, type Log, makeDirectory } from '../../../base/index.ts';
import { type Migration, pendingMigrations, undoneMigrations } from '../../migrations/index.ts';
import { keepCopiesPrivate, keepPrivate } from '../private-database.ts';
import { syncPath } from './sync-path.ts';

/** Copies of the database file kept from before migrations. */
const KEPT_COPIES = 3;
/** Ends the name of a copy that is not whole yet. */
const PART = '.part';
const COPY = /^schema-.*\.db$/;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`;
const APPLIED = 'SELECT coalesce(max(version), 0) AS version FROM schema_migrations';
const NOTE = 'INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)';
const FORGET = 'DELETE FROM schema_migrations WHERE version = ?';
const HAS_TABLE = `SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'`;

/** What every change of a schema needs. */
export interface SchemaOptions {
  readonly migrations: readonly Migration[];
  /** Where copies go. */
  readonly backupDir: string;
  readonly nowMicros: number;
  readonly log: Log;
}

export interface MigrateOptions extends SchemaOptions {
  /** `manual`: pending migrations stop the start. */
  readonly mode: 'auto' | 'manual';
}

/** Newest migration of the database; 0 when nothing was applied. */
export const appliedVersion = (database: DatabaseSync): number =>
  database.prepare(HAS_TABLE).get() === undefined ? 0 : Number(database.prepare(APPLIED).get()?.['version']);

/** Brings the schema up to date, one transaction per migration; an existing database is copied first. */
export const migrate = (database: DatabaseSync, options: MigrateOptions): readonly Migration[] => {
  if (existsSync(options.backupDir)) keepCopiesPrivate(options.backupDir, COPY);
  const isNew = database.prepare(HAS_TABLE).get() === undefined;
  const applied = appliedVersion(database);
  const pending = pendingMigrations(options.migrations, applied);
  if (pending.length === 0) return pending;
  if (!isNew) {
    if (options.mode === 'manual')
      throw new Fault('FAILED_PRECONDITION', 'SCHEMA_TOO_OLD', 'the store needs migrations: run `svc migrate up`');
    copyBefore(database, applied, options);
  }
  for (const migration of pending) {
    transact(database, () => {
      database.exec(CREATE_TABLE);
      database.exec(migration.sql);
      database.prepare(NOTE).run(migration.version, migration.name, options.nowMicros);
    });
    options.log.info('migration applied', { version: migration.version, name: migration.name });
  }
  return pending;
};

/** Undoes steps above `target` (absent = the newest one), one transaction each, after a copy. Faults as undoneMigrations. */
export const migrateDown = (
  database: DatabaseSync,
  options: SchemaOptions,
  target: number | undefined,
): readonly Migration[] => {
  const applied = appliedVersion(database);
  const steps = undoneMigrations(options.migrations, applied, target);
  copyBefore(database, applied, options);
  for (const { version, name, down = '' } of steps) {
    transact(database, () => {
      database.exec(down);
      database.prepare(FORGET).run(version);
    });
    options.log.info('migration undone', { version, name });
  }
  return steps;
};

const transact = (database: DatabaseSync, work: () => void): void => {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
};

/**
 * Makes a copy that has its name once it is whole and on disk, which SQLite leaves to its caller; the newest ones stay, and the
 * one just made whatever the clock said before.
 */
const copyBefore = (database: DatabaseSync, applied: number, options: SchemaOptions): void => {
  const { backupDir, nowMicros } = options;
  makeDirectory(backupDir);
  const name = `schema-${String(applied).padStart(4, '0')}-${nowMicros}.db`;
  const part = join(backupDir, `${name}${PART}`);
  removeParts(backupDir);
  try {
    // SQLite fills a file that is empty, and leaves its mode as it is.
    keepPrivate(part);
    database.prepare('VACUUM INTO ?').run(part);
    syncPath(part);
  } catch (error) {
    removeParts(backupDir);
    throw error;
  }
  renameSync(part, join(backupDir, name));
  syncPath(backupDir);
  options.log.info('store copied before migrating', { schema: applied });
  const others = namesOf(backupDir, COPY)
    .filter((other) => other !== name)
    .sort((left, right) => timeOf(left) - timeOf(right));
  for (const old of others.slice(0, 1 - KEPT_COPIES)) rmSync(join(backupDir, old));
};

/** What a full disk or a kill cut off, with its journal. */
const removeParts = (backupDir: string): void => {
  for (const name of namesOf(backupDir, /^schema-.*\.db\.part/)) rmSync(join(backupDir, name));
};

const namesOf = (folder: string, form: RegExp): string[] => readdirSync(folder).filter((name) => form.test(name));

const timeOf = (copy: string): number => Number(/-(\d+)\.db$/.exec(copy)?.[1] ?? 0);
