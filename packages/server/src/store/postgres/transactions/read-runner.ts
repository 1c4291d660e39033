import type { ReadTx } from '../../contracts/index.ts';
import type { Access } from '../access.ts';
import { type Database, type Session, toCallerError } from '../connection/index.ts';
import { createReadHandle } from '../tables/index.ts';
import { TransactionScope } from './transaction-scope.ts';

/** Connections tried for one read: those that the server ended while nobody had them fail at their first use. */
const MAX_TRIES = 4;

/** Runs a function on one snapshot; again on another connection when the first was gone before it answered anything. */
export const readSnapshot = async <T>(
  database: Database,
  access: Omit<Access, 'sql'>,
  work: (tx: ReadTx) => Promise<T>,
): Promise<T> => {
  for (let tries = 1; ; tries++) {
    const session = await database.acquire();
    const scope = new TransactionScope(session, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      return await work(createReadHandle({ ...access, sql: scope }));
    } catch (error) {
      const wasGone = session.lost !== undefined && !session.wasSilent && !scope.wasAnswered;
      if (!wasGone || tries === MAX_TRIES) throw toCallerError(error);
    } finally {
      scope.close();
      session.release(!(await isEnded(session)));
    }
  }
};

/** False for a connection that cannot even be told to end its transaction. */
const isEnded = (session: Session): Promise<boolean> =>
  session.command('ROLLBACK').then(
    () => true,
    () => false,
  );
