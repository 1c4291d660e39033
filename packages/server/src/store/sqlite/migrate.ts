import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Fault, type Log } from '../../base/index.ts';
import { type Migration, pendingMigrations } from '../migrations/index.ts';

/** Copies of the database file kept from before migrations (PL-16). */
const KEPT_COPIES = 3;

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT`;
const APPLIED = 'SELECT coalesce(max(version), 0) AS version FROM schema_migrations';
const NOTE = 'INSERT INTO schema_migrations (version, name, applied_at) VALUES (?, ?, ?)';
const HAS_TABLE = `SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'`;

export interface MigrateOptions {
  readonly migrations: readonly Migration[];
  /** Where copies go. */
  readonly backupDir: string;
  /** `manual`: pending migrations stop the start. */
  readonly mode: 'auto' | 'manual';
  readonly nowMicros: number;
  readonly log: Log;
}

/** Brings the schema up to date, one transaction per migration; an existing database is copied first. */
export const migrate = (database: DatabaseSync, options: MigrateOptions): void => {
  const isNew = database.prepare(HAS_TABLE).get() === undefined;
  const applied = isNew ? 0 : Number(database.prepare(APPLIED).get()?.['version'] ?? 0);
  const pending = pendingMigrations(options.migrations, applied);
  if (pending.length === 0) return;
  if (!isNew) {
    if (options.mode === 'manual')
      throw new Fault('FAILED_PRECONDITION', 'SCHEMA_TOO_OLD', 'the store needs migrations: run `svc migrate up`');
    copyBefore(database, applied, options);
  }
  for (const migration of pending) {
    database.exec('BEGIN IMMEDIATE');
    try {
      database.exec(CREATE_TABLE);
      database.exec(migration.sql);
      database.prepare(NOTE).run(migration.version, migration.name, options.nowMicros);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
    options.log.info('migration applied', { version: migration.version, name: migration.name });
  }
};

const copyBefore = (database: DatabaseSync, applied: number, options: MigrateOptions): void => {
  mkdirSync(options.backupDir, { recursive: true });
  const version = String(applied).padStart(4, '0');
  const file = join(options.backupDir, `schema-${version}-${options.nowMicros}.db`);
  database.prepare('VACUUM INTO ?').run(file);
  options.log.info('store copied before migrating', { schema: applied });
  const copies = readdirSync(options.backupDir)
    .filter((name) => name.startsWith('schema-') && name.endsWith('.db'))
    .sort((left, right) => timeOf(left) - timeOf(right));
  for (const old of copies.slice(0, -KEPT_COPIES)) rmSync(join(options.backupDir, old));
};

const timeOf = (copy: string): number => Number(/-(\d+)\.db$/.exec(copy)?.[1] ?? 0);
