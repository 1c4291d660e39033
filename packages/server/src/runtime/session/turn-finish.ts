import { type Ids, type Log, together } from '../../base/index.ts';
import {
  type Bus,
  type SessionRow,
  type SteerRow,
  sessionHolder,
  type TurnRow,
  type WriteTx,
} from '../../store/contracts/index.ts';
import type {
  ObjectAccess,
  Part,
  PlacedPart,
  SessionEvent,
  SessionSide,
  TurnBody,
  TurnEndHook,
  TurnProgressHook,
  UsageMeter,
} from '../contract.ts';
import {
  afterTurnEnd,
  EventSequencer,
  endedRow,
  type FinalState,
  isStoreAway,
  LostClaim,
  messageLabels,
  parseBody,
  parseSide,
  replyTextOf,
} from '../record/index.ts';
import { readyNext, requeueSteers } from './turn-queue.ts';

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

/** What the end of a turn uses. */
export interface FinishPorts {
  readonly ids: Ids;
  readonly bus: Pick<Bus, 'publish'>;
  readonly log: Log;
  readonly endHooks: readonly TurnEndHook[];
  readonly usage: Pick<UsageMeter, 'releaseCost'>;
}

/** What follows turns that begin and wait uses. */
export interface ProgressPorts {
  readonly log: Log;
  /** Absent: nothing does. */
  readonly progressHooks?: readonly TurnProgressHook[];
}

/** One transaction and what its steps use. */
export interface FinishScope {
  readonly tx: WriteTx;
  readonly ports: FinishPorts;
}

const MESSAGE_STATE: Readonly<Record<FinalState, string>> = {
  COMPLETED: 'complete',
  FAILED: 'failed',
  STOPPED: 'stopped',
};
const ASSISTANT = 2;

/** Refers to the objects that parts of the turn name, in the transaction that names them. */
export const holdObjects = async (
  { tx, objects }: { readonly tx: WriteTx; readonly objects: Pick<ObjectAccess, 'hold'> },
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
  { tx, ports }: FinishScope,
  end: Parameters<TurnEndHook['turnEnded']>[1],
): Promise<void> => {
  for (const hook of ports.endHooks) {
    try {
      await tx.savepoint(() => hook.turnEnded(tx, end));
    } catch (error) {
      if (isStoreAway(error)) throw error;
      const { namespace, agent, sessionId, id } = end.turn;
      ports.log.error('an effect of a turn end failed', { namespace, agent, session: sessionId, turn: id }, error);
    }
  }
};

/** As `runEndHooks`, for a turn that was taken or that begins to wait. */
export const runProgressHooks = async (
  { tx, ports }: { readonly tx: WriteTx; readonly ports: ProgressPorts },
  turn: TurnRow,
  run: (hook: TurnProgressHook) => Promise<void>,
): Promise<void> => {
  for (const hook of ports.progressHooks ?? []) {
    try {
      await tx.savepoint(() => run(hook));
    } catch (error) {
      if (isStoreAway(error)) throw error;
      const { namespace, agent, sessionId, id } = turn;
      ports.log.error('an effect of a turn failed', { namespace, agent, session: sessionId, turn: id }, error);
    }
  }
};

/**
 * The final transaction's common part: last assistant message, turn and session state, left-over steers, stops
 * that waited, the next ready turn. Throws LostClaim when turn id, fence and open state do not match.
 * Returns the events of other turns to publish after this turn's own terminal event.
 */
export const finishTurn = async (
  { tx, ports }: FinishScope,
  request: FinishRequest,
): Promise<readonly SessionEvent[]> => {
  const { turn, body, placed, state, reason } = request;
  const now = tx.now();
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const parts = placed.filter((entry) => entry.messageId === messageId).map((entry) => entry.part);
  const labels = messageLabels(turn, body, { state: MESSAGE_STATE[state], reason });
  const ended = endedRow(turn, { body, placed, state, reason, lastSequence: request.lastSequence, now });
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
  const requeued = await requeueSteers(tx, { ended: ended.row, session: after, steers }, ports.ids);
  const { session, events } = await releasePendingStops(tx, requeued, body.pendingStops);
  await tx.log.saveSession(session);
  if (session.openTurns > 0) await readyNext(tx, session.id, ports.bus);
  const replyText = state === 'COMPLETED' ? replyTextOf(placed.map(({ part }) => part)) : '';
  await runEndHooks({ tx, ports }, { session, turn: ended.row, body: ended.body, replyText });
  return events;
};
