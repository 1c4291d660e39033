import { makeDirectory } from '../../base/index.ts';
import { lockDataDir } from '../../store/sqlite/index.ts';

/**
 * Makes a data directory and holds it until `release`, for what is written there before a server starts. Faults: DATA_DIR_IN_USE,
 * DIRECTORY_UNUSABLE, STORAGE_FULL.
 */
export const holdDataDirectory = (dataDir: string): { release(): void } => {
  makeDirectory(dataDir);
  return lockDataDir(dataDir, 'shared');
};
