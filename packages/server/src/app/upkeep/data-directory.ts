import { makeDirectory } from '../../base/index.ts';
import { lockDataDir } from '../../store/sqlite/index.ts';

/**
 * Creates a data directory and locks it until `release`, for files that are written before a server starts. Faults: DATA_DIR_IN_USE,
 * DIRECTORY_UNUSABLE, STORAGE_FULL.
 */
export const holdDataDirectory = (dataDir: string): { release(): void } => {
  makeDirectory(dataDir);
  return lockDataDir(dataDir, 'shared');
};
