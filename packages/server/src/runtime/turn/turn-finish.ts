import type { Ids } from '../../base/index.ts';
import type { SessionRow, SteerRow, TurnRow, TurnState, WriteTx } from '../../store/contracts/index.ts';
import { PART, type Part, type PlacedPart, type SessionEvent, type SessionSide, type TurnBody } from '../contract.ts';
import { EventSequencer } from '../event-sequencer.ts';
import { messageIdsAfter } from '../message-ids.ts';
import { LostClaim, type RuntimeDeps, type TurnEndHook } from '../runtime-deps.ts';
import { parseBody, parseSide } from '../turn-record.ts';
import { afterTurnEnd, readyNext } from './turn-queue.ts';

export type FinalState = Extract<TurnState, 'COMPLETED' | 'FAILED' | 'STOPPED'>;

export interface FinishRequest {
  readonly session: SessionRow;
  readonly turn: TurnRow;
  readonly body: TurnBody;
  /** All parts of the turn in stored order, the ones of the last step and the ERROR part included. */
  readonly placed: readonly PlacedPart[];
  readonly state: FinalState;
  /** completed, stopped, limit, refused, or the error class. */
  readonly reason: string;
  /** Sequence of the terminal event, which the caller emits after the commit. */
  readonly lastSequence: number;
  readonly side?: SessionSide;
}

type FinishDeps = Pick<RuntimeDeps, 'ids' | 'endHooks'>;

const MESSAGE_STATE: Readonly<Record<FinalState, string>> = {
  COMPLETED: 'complete',
  FAILED: 'failed',
  STOPPED: 'stopped',
};
const ASSISTANT = 2;

/** Text parts after the last tool call, result or permission part, joined by newline (RT-1, RT-R40). */
export const replyTextOf = (parts: readonly PlacedPart[]): string => {
  const texts: string[] = [];
  for (const { part } of parts) {
    if (part.type === PART.TEXT) texts.push(part.content ?? '');
    else if (
      part.type === PART.TOOL_CALL ||
      part.type === PART.TOOL_RESULT ||
      part.type === PART.REQUEST_PERMISSION ||
      part.type === PART.PERMISSION_RESULT
    )
      texts.length = 0;
  }
  return texts.join('\n');
};

/** Stores one assistant message of the turn; an empty one is never stored (RT-R12). */
export const storeAssistantMessage = async (
  tx: WriteTx,
  turn: TurnRow,
  message: { readonly id: string; readonly parts: readonly Part[]; readonly labels: Readonly<Record<string, string>> },
): Promise<void> => {
  if (message.parts.length === 0) return;
  await tx.log.insertMessage({
    id: message.id,
    sessionId: turn.sessionId,
    role: ASSISTANT,
    createdAt: message.parts[0]?.createdAt ?? tx.now(),
    labels: message.labels,
    turnId: turn.id,
    parts: JSON.stringify(message.parts),
    revision: 1,
  });
};

export const messageLabels = (
  turn: TurnRow,
  body: TurnBody,
  end: { readonly state: string; readonly reason: string },
): Record<string, string> => ({
  'svc/turn': turn.id,
  'svc/attempt': String(Math.max(1, turn.attempt)),
  ...(body.snapshot === undefined || body.snapshot.profile === '' ? {} : { 'svc/profile': body.snapshot.profile }),
  'svc/finish-reason': end.reason,
  'svc/message-state': end.state,
});

/** Steer entries that found no further model call become one queued turn, ahead of the others (RT-2.5, RT-R10). */
const requeueSteers = async (
  tx: WriteTx,
  finished: { readonly turn: TurnRow; readonly session: SessionRow; readonly body: TurnBody },
  ids: Ids,
): Promise<SessionRow> => {
  const { turn, session } = finished;
  const steers: readonly SteerRow[] = await tx.log.steers(session.id);
  const last = steers.at(-1);
  if (last === undefined) return session;
  const [replyId = ''] = messageIdsAfter(ids, session.lastMessageId, 1);
  const turnId = ids.next();
  for (const steer of steers) {
    const message = await tx.log.message(session.id, steer.messageId);
    if (message !== undefined) await tx.log.saveMessage({ ...message, turnId });
  }
  await tx.log.deleteSteers(
    session.id,
    steers.map((steer) => steer.messageId),
  );
  const cause = (JSON.parse(last.body) as { readonly cause: TurnBody['cause'] }).cause;
  const body = newTurnBody({
    cause,
    profile: '',
    replyMessageId: replyId,
    userMessageIds: steers.map((steer) => steer.messageId),
  });
  await tx.log.insertTurn({
    ...emptyTurn(session, tx.now()),
    id: turnId,
    admission: turn.admission,
    userMessageId: last.messageId,
    body: JSON.stringify(body),
  });
  return { ...session, openTurns: session.openTurns + 1, lastMessageId: replyId, state: 'PROCESSING' };
};

export const newTurnBody = (
  start: Pick<TurnBody, 'cause' | 'profile' | 'userMessageIds'> & { readonly replyMessageId: string },
): TurnBody => ({
  cause: start.cause,
  spans: [],
  replyMessageIds: [start.replyMessageId],
  profile: start.profile,
  startedAt: 0,
  lastSequence: 0,
  activeMicros: 0,
  toolCalls: 0,
  modelCalls: 0,
  journalCount: 0,
  resume: '',
  sentParts: 0,
  pendingStops: [],
  userMessageIds: start.userMessageIds,
});

export const emptyTurn = (
  session: SessionRow,
  now: number,
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
  createdAt: now,
  finishedAt: 0,
});

/** A turn stopped before it started gets a fence of its own for its DONE (RT-2.6). Returns the session and the event. */
export const fenceStoppedTurn = async (
  tx: WriteTx,
  session: SessionRow,
  turn: TurnRow,
): Promise<{ readonly session: SessionRow; readonly event: SessionEvent }> => {
  const fence = session.fence + 1;
  const body = parseBody(turn);
  const [messageId = ''] = body.replyMessageIds;
  const sequencer = new EventSequencer(
    { namespace: session.namespace, agent: session.agent, sessionId: session.id, turnId: turn.id },
    fence,
    1,
  );
  const event = sequencer.terminal({ messageId, reason: 'stopped', part: undefined, timestamp: tx.now() });
  const span = { fence, attempt: 1, firstPart: 0, reset: false, messageId };
  await tx.log.saveTurn({
    ...turn,
    fence,
    body: JSON.stringify({ ...body, spans: [span], lastSequence: event.sequence }),
  });
  return { session: { ...session, fence, lastSequence: event.sequence }, event };
};

const finishStoppedMeanwhile = async (
  tx: WriteTx,
  session: SessionRow,
  turnIds: readonly string[],
): Promise<{ readonly session: SessionRow; readonly events: SessionEvent[] }> => {
  const events: SessionEvent[] = [];
  let current = session;
  for (const id of turnIds) {
    const turn = await tx.log.turn(id);
    if (turn === undefined) continue;
    const fenced = await fenceStoppedTurn(tx, current, turn);
    current = fenced.session;
    events.push(fenced.event);
  }
  return { session: current, events };
};

/** Gives every stop that waited for this claim its terminal event; called when the claim ends, parks or is handed over. */
export const releasePendingStops = finishStoppedMeanwhile;

const runHooks = async (
  tx: WriteTx,
  hooks: readonly TurnEndHook[],
  end: Parameters<TurnEndHook['turnEnded']>[1],
): Promise<void> => {
  for (const hook of hooks) await hook.turnEnded(tx, end);
};

/**
 * The final transaction's common part (RT-2.5): last assistant message, turn and session state, left-over steers, stops
 * that waited, the next ready turn. Throws LostClaim when turn id, fence and open state do not match (RT-R4).
 * Returns the events of other turns to publish after this turn's own terminal event.
 */
export const finishTurn = async (
  tx: WriteTx,
  request: FinishRequest,
  deps: FinishDeps,
): Promise<readonly SessionEvent[]> => {
  const { turn, body, placed, state, reason } = request;
  const now = tx.now();
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const parts = placed.filter((entry) => entry.messageId === messageId).map((entry) => entry.part);
  const labels = messageLabels(turn, body, { state: MESSAGE_STATE[state], reason });
  await storeAssistantMessage(tx, turn, { id: messageId, parts, labels });
  const errorPart = state === 'FAILED' ? placed.at(-1)?.part.content : undefined;
  const finalBody: TurnBody = {
    ...body,
    lastSequence: request.lastSequence,
    reason,
    pendingStops: [],
    ...(errorPart === undefined ? {} : { error: errorPart }),
  };
  const ended: TurnRow = {
    ...turn,
    state,
    ready: false,
    worker: '',
    claimExpiresAt: 0,
    wakeAt: 0,
    finishedAt: now,
    body: JSON.stringify(finalBody),
  };
  const held = await tx.log.saveTurn(ended, { fence: turn.fence, states: ['QUEUED', 'RUNNING', 'WAITING'] });
  if (!held) throw new LostClaim(turn.id);
  const side: SessionSide = {
    ...(request.side ?? parseSide(request.session)),
    lastTurn: { turnId: turn.id, state, reason, at: now },
  };
  let session: SessionRow = {
    ...afterTurnEnd(request.session, turn, now),
    lastSequence: request.lastSequence,
    body: JSON.stringify(side),
  };
  session = await requeueSteers(tx, { turn, session, body }, deps.ids);
  const released = await finishStoppedMeanwhile(tx, session, body.pendingStops);
  session = released.session;
  await tx.log.saveSession(session);
  if (session.openTurns > 0) await readyNext(tx, session.id);
  if (deps.endHooks.length > 0)
    await runHooks(tx, deps.endHooks, {
      session,
      turn: ended,
      body: finalBody,
      replyText: state === 'COMPLETED' ? replyTextOf(placed) : '',
    });
  return released.events;
};
