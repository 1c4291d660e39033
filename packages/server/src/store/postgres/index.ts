/**
 * store/postgres: the engine for many nodes, on PostgreSQL through `pg`: write transactions side by side, made serialisable
 * by row locks and by a check of what was read (`transactions`), snapshot reads, one reader of the change log per process
 * (`changes`). Owns the tables of `migrations/postgres`; knows rows, not rules. Opened by `app` only, and imported only when
 * `store.url` asks for it.
 */
export {
  endPostgresRestore,
  isPostgresEmpty,
  isPostgresInUse,
  notePostgresBackup,
  openPostgresDump,
  openPostgresLoad,
  postgresEpoch,
  postgresRestoring,
} from './copies/index.ts';
export { type DatabaseExamination, examinePostgres } from './examine.ts';
export { openPostgresMigrations } from './postgres-migrations.ts';
export { openPostgresStore, type PostgresStoreOptions } from './postgres-store.ts';
