import { RESOURCES_CHANGED } from '../../../controllers/contract.ts';
import type { TurnEndHook } from '../../../runtime/contract.ts';
import type { Bus, DelegationRow, WriteTx } from '../../../store/contracts/index.ts';
import { deliveringCalls } from './delegation-replies.ts';
import {
  asRead,
  type Delegation,
  MAX_ALIASES,
  parseDelegation,
  UNREAD,
  undelivered,
  withDelegation,
  withRemote,
} from './delegation-rules.ts';
import { CHILDREN_STOP, type ChildrenStop, REPLY_READY, type ReplyReady } from './delegation-worker.ts';
import { putCancellation } from './peer-errands.ts';

type TurnEnd = Parameters<TurnEndHook['turnEnded']>[1];

/**
 * What follows from the end of a turn for delegated work, queued in the transaction that ends it: its reply, where another agent asked for
 * it; the replies that it asked for and did not read; and, when it was stopped, the stop of the work that it gave away.
 */
export const createDelegationHook = (bus: Pick<Bus, 'publish'>): TurnEndHook => ({
  turnEnded: async (tx, end) => {
    const noted = (await noteReply(tx, end)) + (await noteSent(tx, end));
    if (noted > 0) tx.afterCommit(() => bus.publish(RESOURCES_CHANGED, {}));
  },
});

/** The turn worked on a message of another agent. */
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

/** The turn may have given work to others, or taken their replies: one that recorded nothing called no tool. */
const noteSent = async (tx: WriteTx, { session, turn, body }: TurnEnd): Promise<number> => {
  if (turn.state === 'COMPLETED' && body.journalCount === 0) return 0;
  const rows = await tx.delegations.page('ofSession', { sessionId: session.id }, { limit: MAX_ALIASES });
  const stopped: { sessionId: string; turnId: string }[] = [];
  let noted = 0;
  const isStopped = turn.state === 'STOPPED';
  for (const row of rows) {
    const { delegation, givenBack } = await returned(tx, row, turn.id);
    if (isStopped) noted += await callOff(tx, { row, delegation, turn, identity: body.cause.identity });
    for (const { turnId, senderTurnId, readBy, remote } of delegation.sent) {
      const isOwn = senderTurnId === turn.id;
      const isEnded = isOwn && isStopped && remote !== undefined;
      if (readBy !== '' || isEnded || !(isOwn || givenBack.includes(turnId))) continue;
      noted += 1;
      if (isOwn && isStopped) stopped.push({ sessionId: row.childSessionId, turnId });
      else await putReply(tx, { sessionId: session.id, alias: row.alias, turnId });
    }
  }
  if (stopped.length > 0) await putStop(tx, turn.id, { turns: stopped });
  return noted;
};

/** Ends the work that a stopped turn gave to agents elsewhere, and has their tasks cancelled. */
const callOff = async (
  tx: WriteTx,
  {
    row,
    delegation,
    turn,
    identity,
  }: { readonly identity: string } & Pick<TurnEnd, 'turn'> & {
      readonly row: DelegationRow;
      readonly delegation: Delegation;
    },
): Promise<number> => {
  const place = delegation.peer;
  const open = delegation.sent.filter(
    ({ senderTurnId, remote }) => senderTurnId === turn.id && remote?.state === 'open',
  );
  if (place === undefined || open.length === 0) return 0;
  const { namespace, agent, sessionId, id: turnId } = turn;
  const sender = { namespace, agent, sessionId, turnId, identity };
  for (const work of open) await putCancellation(tx, { alias: row.alias, place, work, sender });
  const ended = withRemote(
    delegation,
    open.map((work) => work.turnId),
    { state: 'stopped', text: 'it was stopped before it answered' },
  );
  await tx.delegations.put(withDelegation(row, ended));
  return open.length;
};

/** The conversation, with the replies unread again that the turn took and ended without recording. */
const returned = async (
  tx: WriteTx,
  row: DelegationRow,
  turnId: string,
): Promise<{ readonly delegation: Delegation; readonly givenBack: readonly string[] }> => {
  const delegation = parseDelegation(row);
  if (delegation.sent.every(({ readIn }) => readIn !== turnId)) return { delegation, givenBack: [] };
  const delivered = deliveringCalls(await tx.log.journal(turnId));
  const givenBack = undelivered(delegation, turnId, delivered).map((work) => work.turnId);
  if (givenBack.length === 0) return { delegation, givenBack };
  const unread = asRead(delegation, givenBack, UNREAD);
  await tx.delegations.put(withDelegation(row, unread));
  return { delegation: unread, givenBack };
};

/** A second note replaces one that is being worked on: what that one found may be out of date. */
const putReply = (tx: WriteTx, reply: ReplyReady): Promise<void> => {
  const item = { kind: REPLY_READY, key: reply.turnId, dueAt: tx.steadyNow(), attempts: 0 };
  return tx.queue.put({ ...item, payload: JSON.stringify(reply) }, { replace: true });
};

const putStop = (tx: WriteTx, turnId: string, children: ChildrenStop): Promise<void> => {
  const item = { kind: CHILDREN_STOP, key: turnId, dueAt: tx.steadyNow(), attempts: 0 };
  return tx.queue.put({ ...item, payload: JSON.stringify(children) });
};
