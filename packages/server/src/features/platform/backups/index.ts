/**
 * features/platform/backups: archives of a whole store with its objects: writing one while a server runs, by call or by
 * schedule, checking one, and unpacking one into an empty store. app says where dumps come from and where a restore goes;
 * the command line reaches it through app/upkeep.
 */
export { addKeys, type KeyFiles, placeFile, sealKeys, type WrittenArchive, writeArchive } from './archive/index.ts';
export { backupsModule } from './backups-module.ts';
export { type CheckedArchive, checkArchive, restoreArchive } from './restore-archive.ts';
