/**
 * upkeep: backup, restore and migrations of a store on this machine. The server package does the work, in this process. A backup goes
 * through the server if one is running.
 */
export { type BackupOptions, backup } from './backup.ts';
export { openLocalStore } from './local-store.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { type RestoreOptions, restore } from './restore.ts';
