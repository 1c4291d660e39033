import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../base/index.ts';
import { keepPrivate } from './private-database.ts';
import { isBusy, toOpenError } from './storage-fault.ts';

/**
 * One server per data directory: an exclusive transaction held open on `lock.db` until `release`; the system drops it
 * when the process ends, however it ends. `shared` is for nodes whose database is elsewhere: they may be several, but no one
 * is there alone meanwhile. Throws Fault FAILED_PRECONDITION DATA_DIR_IN_USE when another holds it, and as `toOpenError` when the
 * disk refuses.
 */
export const lockDataDir = (dataDir: string, use: 'alone' | 'shared' = 'alone'): { release(): void } => {
  const file = join(dataDir, 'lock.db');
  let database: DatabaseSync | undefined;
  try {
    keepPrivate(file);
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec(use === 'alone' ? 'BEGIN EXCLUSIVE' : 'BEGIN; SELECT count(*) FROM sqlite_schema');
  } catch (cause) {
    database?.close();
    if (!isBusy(cause)) throw toOpenError(cause, file);
    throw new Fault(
      'FAILED_PRECONDITION',
      'DATA_DIR_IN_USE',
      `the data directory ${dataDir} is in use by another server`,
      { metadata: { dataDir }, cause },
    );
  }
  const held = database;
  return { release: () => held.close() };
};
