import { type Ids, idsAfter } from '../../base/index.ts';
import type { Bus, SessionRow, SteerRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import { WAKE_TURNS } from '../contract.ts';
import { emptyTurn, newTurnBody, type SteerBody, steeredPlace } from '../record/index.ts';

/** Rows of a session's queue: who is next, and how the session's counters follow. All inside the caller's transaction. */

/** The oldest QUEUED turn becomes ready, and workers are woken, when nothing of the session is open before it. */
export const readyNext = async (tx: WriteTx, sessionId: string, bus: Pick<Bus, 'publish'>): Promise<void> => {
  const [next] = await tx.log.openTurns(sessionId);
  if (next === undefined || next.state !== 'QUEUED') return;
  if (!next.ready) await tx.log.saveTurn({ ...next, ready: true });
  tx.afterCommit(() => bus.publish(WAKE_TURNS, {}));
};

/** Steer entries that found no further model call become one queued turn; `ended` is saved already. */
export const requeueSteers = async (
  tx: WriteTx,
  finished: { readonly ended: TurnRow; readonly session: SessionRow; readonly steers: readonly SteerRow[] },
  ids: Ids,
): Promise<SessionRow> => {
  const { ended, session, steers } = finished;
  const last = steers.at(-1);
  if (last === undefined) return session;
  const [replyMessageId = ''] = idsAfter(ids, session.lastMessageId, 1);
  const turnId = ids.next();
  const messageIds = steers.map((steer) => steer.messageId);
  for (const id of messageIds) {
    const message = await tx.log.message(session.id, id);
    if (message !== undefined) await tx.log.saveMessage({ ...message, turnId });
  }
  await tx.log.deleteSteers(session.id, messageIds);
  const { cause, profile } = JSON.parse(last.body) as SteerBody;
  const body = newTurnBody({ cause, profile, replyMessageId, userMessageIds: messageIds, createdAt: tx.now() });
  const admission = steeredPlace(ended, await tx.log.openTurns(session.id));
  await tx.log.insertTurn({
    ...emptyTurn(session, tx.steadyNow()),
    id: turnId,
    admission,
    userMessageId: last.messageId,
    body: JSON.stringify(body),
  });
  return {
    ...session,
    openTurns: session.openTurns + 1,
    admission: Math.max(session.admission, Math.ceil(admission)),
    lastMessageId: replyMessageId,
    state: 'PROCESSING',
  };
};
