/**
 * store/postgres/copies: the whole contents of a database as rows, and a database filled with such rows. Each opens a
 * connection of its own: a dump reads one snapshot, a load is one transaction.
 */
export { notePostgresBackup } from './note-backup.ts';
export { openPostgresDump } from './postgres-dump.ts';
export {
  endPostgresRestore,
  isPostgresEmpty,
  isPostgresInUse,
  openPostgresLoad,
  postgresEpoch,
  postgresRestoring,
} from './postgres-load.ts';
