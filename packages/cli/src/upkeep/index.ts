/**
 * upkeep: backup, restore and migrations of a store on this machine, by the rules of the server package, which runs in this
 * process for it. A backup goes through the server when one is running.
 */
export { type BackupOptions, backup } from './backup.ts';
export { openLocalStore } from './local-store.ts';
export { type MigrateOptions, migrate } from './migrate.ts';
export { type RestoreOptions, restore } from './restore.ts';
