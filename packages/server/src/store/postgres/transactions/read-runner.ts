import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { type Database, toCallerError } from '../connection/index.ts';
import { createReadHandle } from '../tables/index.ts';
import { TransactionScope } from './transaction-scope.ts';

/** Runs a function on one snapshot. */
export const readSnapshot = async <T>(
  database: Database,
  access: Omit<Access, 'sql'>,
  work: (tx: ReadTx) => Promise<T>,
): Promise<T> => {
  const session = await database.acquire();
  const scope = new TransactionScope(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    return await work(createReadHandle({ ...access, sql: scope }));
  } catch (error) {
    throw toCallerError(error);
  } finally {
    scope.close();
    const isEnded = await session.command('ROLLBACK').then(
      () => true,
      () => false,
    );
    session.release(!isEnded);
  }
};
