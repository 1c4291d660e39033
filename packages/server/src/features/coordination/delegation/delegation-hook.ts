import { RESOURCES_CHANGED } from '../../../controllers/contract.ts';
import type { TurnEndHook } from '../../../runtime/contract.ts';
import type { Bus, WriteTx } from '../../../store/contracts/index.ts';
import { MAX_ALIASES, parseDelegation, type SentWork } from './delegation-rules.ts';
import { CHILDREN_STOP, type ChildrenStop, REPLY_READY, type ReplyReady } from './delegation-worker.ts';

type TurnEnd = Parameters<TurnEndHook['turnEnded']>[1];

/**
 * What follows from the end of a turn for delegated work, noted in the transaction that ends it: a reply that somebody may wait for, what
 * became of the replies that the turn itself did not wait for, and, when it was stopped, the end of the work that it gave away.
 */
export const createDelegationHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: async (tx, end) => {
    const noted = (await noteReply(tx, end)) + (await noteSent(tx, end));
    if (noted > 0) tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
  },
});

/** The turn worked for an agent elsewhere. */
const noteReply = async (tx: WriteTx, { session, turn, body }: TurnEnd): Promise<number> => {
  if (body.cause.kind !== 'delegation') return 0;
  const rows = await tx.delegations.page('ofChild', { childSessionId: session.id }, { limit: MAX_ALIASES });
  let noted = 0;
  for (const { sessionId, alias, body: text } of rows) {
    const isOurs = parseDelegation({ body: text }).sent.some(({ turnId }) => turnId === turn.id);
    if (!isOurs) continue;
    await putReply(tx, { sessionId, alias, turnId: turn.id });
    noted += 1;
  }
  return noted;
};

/** The turn may have given work to others: one that completed without a tool call has not. */
const noteSent = async (tx: WriteTx, { session, turn, body }: TurnEnd): Promise<number> => {
  if (turn.state === 'COMPLETED' && body.toolCalls === 0) return 0;
  const rows = await tx.delegations.page('ofSession', { sessionId: session.id }, { limit: MAX_ALIASES });
  const left = rows.flatMap(({ alias, childSessionId, body: text }) =>
    parseDelegation({ body: text })
      .sent.filter((work: SentWork) => work.senderTurnId === turn.id && work.readBy === '')
      .map(({ turnId }) => ({ alias, childSessionId, turnId })),
  );
  if (left.length === 0) return 0;
  if (turn.state !== 'STOPPED') {
    for (const { alias, turnId } of left) await putReply(tx, { sessionId: session.id, alias, turnId });
    return left.length;
  }
  const children: ChildrenStop = {
    turns: left.map(({ childSessionId, turnId }) => ({ sessionId: childSessionId, turnId })),
  };
  const payload = JSON.stringify(children);
  await tx.queue.put({ kind: CHILDREN_STOP, key: turn.id, dueAt: tx.steadyNow(), attempts: 0, payload });
  return left.length;
};

/** A second note replaces one that is being worked on: what that one found may be out of date. */
const putReply = (tx: WriteTx, reply: ReplyReady): Promise<void> => {
  const item = { kind: REPLY_READY, key: reply.turnId, dueAt: tx.steadyNow(), attempts: 0 };
  return tx.queue.put({ ...item, payload: JSON.stringify(reply) }, { replace: true });
};
