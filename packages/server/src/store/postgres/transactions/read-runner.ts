import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { type Database, toCallerError } from '../connection/index.ts';
import { createReadHandle } from '../tables/index.ts';
import { SnapshotScope } from './snapshot-scope.ts';

/** Connections tried for one read: those that the server ended while no one had them fail at their first use. */
const MAX_TRIES = 4;

/** Runs a function on one snapshot; again on another connection when the first was gone before it answered anything. */
export const readSnapshot = async <T>(
  database: Database,
  access: Omit<Access, 'sql'>,
  work: (tx: ReadTx) => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const scope = new SnapshotScope(database);
    try {
      return await work(createReadHandle({ ...access, sql: scope }));
    } catch (error) {
      if (!scope.wasGone || tries === MAX_TRIES) throw toCallerError(error);
    } finally {
      scope.close();
    }
  }
};
