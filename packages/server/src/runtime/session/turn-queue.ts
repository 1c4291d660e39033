import { type Ids, idsAfter } from '../../base/index.ts';
import type { SessionRow, SteerRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import { type TurnBody, type TurnCause, WAKE_TURNS } from '../contract.ts';
import { parseBody } from '../record/turn-record.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';

/** Rows of a session's queue: who is next, and how the session's counters follow. All inside the caller's transaction. */

/** JSON of SteerRow.body. */
export interface SteerBody {
  readonly cause: TurnCause;
  /** Id of the assistant message that follows this steering message. */
  readonly nextMessageId: string;
  /** Profile its label asks for; used when the message becomes a turn of its own. */
  readonly profile: string;
}

/** Body of a turn that no one has claimed yet. */
export const newTurnBody = (
  start: Pick<TurnBody, 'cause' | 'profile' | 'userMessageIds' | 'interrupting'> & {
    readonly replyMessageId: string;
    readonly createdAt: number;
  },
): TurnBody => ({
  cause: start.cause,
  spans: [],
  replyMessageIds: [start.replyMessageId],
  profile: start.profile,
  startedAt: 0,
  createdAt: start.createdAt,
  lastSequence: 0,
  activeMicros: 0,
  toolCalls: 0,
  modelCalls: 0,
  journalCount: 0,
  resume: '',
  sentParts: 0,
  pendingStops: [],
  userMessageIds: start.userMessageIds,
  ...(start.interrupting === true ? { interrupting: true as const } : {}),
});

/** Columns of a turn that waits in the queue of its session. */
export const emptyTurn = (
  session: SessionRow,
  steadyNow: number,
): Omit<TurnRow, 'id' | 'admission' | 'userMessageId' | 'body'> => ({
  sessionId: session.id,
  namespace: session.namespace,
  agent: session.agent,
  state: 'QUEUED',
  ready: false,
  attempt: 0,
  fence: 0,
  worker: '',
  claimExpiresAt: 0,
  stopRequested: false,
  wakeAt: 0,
  createdAt: steadyNow,
  finishedAt: 0,
});

/** The oldest QUEUED turn becomes ready, and workers are woken, when nothing of the session is open before it. */
export const readyNext = async (tx: WriteTx, sessionId: string, bus: RuntimeDeps['bus']): Promise<void> => {
  const [next] = await tx.log.openTurns(sessionId);
  if (next === undefined || next.state !== 'QUEUED') return;
  if (!next.ready) await tx.log.saveTurn({ ...next, ready: true });
  tx.afterCommit(() => bus.publish(WAKE_TURNS, {}));
};

/** Admission number right behind `active` and before every turn that has not started (for INTERRUPT). */
export const interruptPlace = (open: readonly TurnRow[], activeTurnId: string): number => {
  const waiting = open.filter((turn) => turn.id !== activeTurnId);
  const active = open.find((turn) => turn.id === activeTurnId);
  const [first] = waiting;
  const low = active?.admission ?? (first?.admission ?? 1) - 1;
  const high = first?.admission ?? low + 1;
  return low + (high - low) / 2;
};

/** Place of the turn made of left-over steer entries: the next one, behind turns that interrupted. */
const steeredPlace = (ended: TurnRow, open: readonly TurnRow[]): number => {
  const behind = open.findIndex((turn) => parseBody(turn).interrupting !== true);
  const last = open[(behind === -1 ? open.length : behind) - 1];
  if (last === undefined) return ended.admission;
  const next = behind === -1 ? undefined : open[behind];
  return next === undefined ? last.admission + 1 : last.admission + (next.admission - last.admission) / 2;
};

/** Session row after one of its open turns ended. */
export const afterTurnEnd = (session: SessionRow, turn: TurnRow, at: number): SessionRow => {
  const openTurns = Math.max(0, session.openTurns - 1);
  const wasActive = session.activeTurnId === turn.id;
  const state = openTurns === 0 ? 'IDLE' : wasActive ? 'PROCESSING' : session.state;
  return {
    ...session,
    openTurns,
    activeTurnId: wasActive ? '' : session.activeTurnId,
    state,
    lastActive: Math.max(session.lastActive, at),
  };
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
