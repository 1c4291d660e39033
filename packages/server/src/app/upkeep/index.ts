/**
 * app/upkeep: what an operator does to a store while no server uses it: backup, restore, migrations. Opens engines by the
 * configuration, but starts nothing. Called by main.ts for the command line; wiring shares how objects are opened.
 */
export { checkArchive } from '../../features/backups/index.ts';
export { moveSchema, type SchemaMove } from './move-schema.ts';
export { backupOffline, backupWithKeys, hasStore, isDataDirInUse } from './offline-backup.ts';
export { openObjects } from './open-objects.ts';
export { restoreBackup } from './restore.ts';
export { requireWholeDirectory } from './staged-directory.ts';
export { storeEngine } from './store-engine.ts';
