import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../base/index.ts';

/**
 * One server per data directory: an exclusive transaction held open on `lock.db` until `release`; the system drops it
 * when the process ends, however it ends. Throws Fault FAILED_PRECONDITION DATA_DIR_IN_USE when another holds it.
 */
export const lockDataDir = (dataDir: string): { release(): void } => {
  const database = new DatabaseSync(join(dataDir, 'lock.db'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    database.close();
    throw new Fault(
      'FAILED_PRECONDITION',
      'DATA_DIR_IN_USE',
      `the data directory ${dataDir} is in use by another server`,
      { metadata: { dataDir }, cause },
    );
  }
  return { release: () => database.close() };
};
