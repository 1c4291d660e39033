import { together } from '../../base/index.ts';
import {
  type SessionRow,
  type SteerRow,
  sessionHolder,
  type TurnRow,
  type TurnState,
  type WriteTx,
} from '../../store/contracts/index.ts';
import type { Part, PlacedPart, SessionEvent, SessionSide, TurnBody, TurnEndHook } from '../contract.ts';
import { EventSequencer } from '../record/event-sequencer.ts';
import { LostClaim } from '../record/index.ts';
import { isStoreAway } from '../record/turn-faults.ts';
import { parseBody, parseSide, replyTextOf } from '../record/turn-record.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';
import { afterTurnEnd, readyNext, requeueSteers } from './turn-queue.ts';

export type FinalState = Extract<TurnState, 'COMPLETED' | 'FAILED' | 'STOPPED'>;

export interface FinishRequest {
  readonly session: SessionRow;
  readonly turn: TurnRow;
  /** Steer entries of the session, where they were read under its lock; else they are read. */
  readonly steers?: readonly SteerRow[];
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

export type FinishDeps = Pick<RuntimeDeps, 'ids' | 'endHooks' | 'bus' | 'log'>;

/** One transaction and what its steps use. */
export interface FinishScope {
  readonly tx: WriteTx;
  readonly deps: FinishDeps;
}

const MESSAGE_STATE: Readonly<Record<FinalState, string>> = {
  COMPLETED: 'complete',
  FAILED: 'failed',
  STOPPED: 'stopped',
};
const ASSISTANT = 2;

/** Refers to the objects that parts of the turn name, in the transaction that names them. */
export const holdObjects = async (
  { tx, objects }: { readonly tx: WriteTx; readonly objects: RuntimeDeps['objects'] },
  place: Pick<TurnRow, 'namespace' | 'sessionId'>,
  parts: readonly Part[],
): Promise<void> => {
  for (const { object } of parts)
    if (object !== undefined) await objects.hold(tx, place.namespace, object, sessionHolder(place.sessionId));
};

/** Stores one assistant message of the turn; an empty one is never stored. */
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

/** Labels that tell where an assistant message comes from and how it ended. */
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

/** A turn stopped before it started gets a fence of its own for its DONE. Returns the session and the event. */
export const fenceStoppedTurn = async (
  tx: WriteTx,
  session: SessionRow,
  turn: TurnRow,
): Promise<{ readonly session: SessionRow; readonly event: SessionEvent }> => {
  const fence = session.fence + 1;
  const body = parseBody(turn);
  const [messageId = ''] = body.replyMessageIds;
  const sequencer = new EventSequencer(turn, fence, { attempt: 1 });
  const event = sequencer.terminal({ messageId, reason: 'stopped', part: undefined, timestamp: tx.now() });
  const span = { fence, attempt: 1, firstPart: 0, reset: false, messageId };
  await tx.log.saveTurn({
    ...turn,
    fence,
    body: JSON.stringify({ ...body, spans: [span], lastSequence: event.sequence }),
  });
  return { session: { ...session, fence, lastSequence: event.sequence }, event };
};

/** Gives every stop that waited for this claim its terminal event; called when the claim ends, parks or is handed over. */
export const releasePendingStops = async (
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

/** Hooks run one by one, each undone alone when it fails: a broken one must not keep the turn from ending. */
export const runEndHooks = async (
  { tx, deps }: FinishScope,
  end: Parameters<TurnEndHook['turnEnded']>[1],
): Promise<void> => {
  for (const hook of deps.endHooks) {
    try {
      await tx.savepoint(() => hook.turnEnded(tx, end));
    } catch (error) {
      if (isStoreAway(error)) throw error;
      const { namespace, agent, sessionId, id } = end.turn;
      deps.log.error('an effect of a turn end failed', { namespace, agent, session: sessionId, turn: id }, error);
    }
  }
};

const endedRow = (request: FinishRequest, now: number): { readonly row: TurnRow; readonly body: TurnBody } => {
  const { turn, placed, state, reason } = request;
  const error = state === 'FAILED' ? placed.at(-1)?.part.content : undefined;
  const body: TurnBody = {
    ...request.body,
    lastSequence: request.lastSequence,
    reason,
    pendingStops: [],
    ...(error === undefined ? {} : { error }),
  };
  const row: TurnRow = {
    ...turn,
    state,
    ready: false,
    worker: '',
    claimExpiresAt: 0,
    wakeAt: 0,
    finishedAt: now,
    body: JSON.stringify(body),
  };
  return { row, body };
};

/**
 * The final transaction's common part: last assistant message, turn and session state, left-over steers, stops
 * that waited, the next ready turn. Throws LostClaim when turn id, fence and open state do not match.
 * Returns the events of other turns to publish after this turn's own terminal event.
 */
export const finishTurn = async (
  { tx, deps }: FinishScope,
  request: FinishRequest,
): Promise<readonly SessionEvent[]> => {
  const { turn, body, placed, state, reason } = request;
  const now = tx.now();
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const parts = placed.filter((entry) => entry.messageId === messageId).map((entry) => entry.part);
  const labels = messageLabels(turn, body, { state: MESSAGE_STATE[state], reason });
  const ended = endedRow(request, now);
  const [, held, steers] = await together(
    storeAssistantMessage(tx, turn, { id: messageId, parts, labels }),
    tx.log.saveTurn(ended.row, { fence: turn.fence, states: ['QUEUED', 'RUNNING', 'WAITING'] }),
    request.steers === undefined ? tx.log.steers(turn.sessionId) : Promise.resolve(request.steers),
  );
  if (!held) throw new LostClaim(turn.id);
  const side: SessionSide = {
    ...(request.side ?? parseSide(request.session)),
    lastTurn: { turnId: turn.id, state, reason, at: now },
  };
  const after: SessionRow = {
    ...afterTurnEnd(request.session, turn, now),
    lastSequence: request.lastSequence,
    body: JSON.stringify(side),
  };
  const requeued = await requeueSteers(tx, { ended: ended.row, session: after, steers }, deps.ids);
  const { session, events } = await releasePendingStops(tx, requeued, body.pendingStops);
  await tx.log.saveSession(session);
  if (session.openTurns > 0) await readyNext(tx, session.id, deps.bus);
  const replyText = state === 'COMPLETED' ? replyTextOf(placed.map(({ part }) => part)) : '';
  await runEndHooks({ tx, deps }, { session, turn: ended.row, body: ended.body, replyText });
  return events;
};
