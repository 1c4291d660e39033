import { Fault } from '../../base/index.ts';
import type { SessionRow, WriteTx } from '../../store/contracts/index.ts';

/** The session, held until the transaction ends. Throws SESSION_NOT_FOUND. */
export const lockedSession = async (tx: WriteTx, sessionId: string): Promise<SessionRow> => {
  const session = await tx.log.lockSession(sessionId);
  if (session === undefined) throw new Fault('NOT_FOUND', 'SESSION_NOT_FOUND', 'the session is gone');
  return session;
};
