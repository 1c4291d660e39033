import type { SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import {
  eventSubject,
  PART,
  type Part,
  type PermissionData,
  type PlacedPart,
  type SessionEvent,
  type Span,
  STOP_TURN,
  type TurnBody,
} from '../contract.ts';
import { EventSequencer } from '../record/event-sequencer.ts';
import { resultPart } from '../record/index.ts';
import { parseBody, partId, publicPart, recordedParts } from '../record/turn-record.ts';
import { closePermissions } from './permission-answers.ts';
import { type FinishDeps, type FinishScope, fenceStoppedTurn, finishTurn, runEndHooks } from './turn-finish.ts';
import { afterTurnEnd, readyNext } from './turn-queue.ts';

/** True while a worker executes the turn: only that worker may end it. */
const hasLiveClaim = (turn: TurnRow): boolean =>
  turn.state === 'RUNNING' || (turn.state === 'WAITING' && turn.worker !== '');

const hasStarted = (turn: TurnRow): boolean => turn.attempt > 0;

const stoppedResult = (call: Part): Omit<Part, 'id' | 'createdAt'> => {
  const name = call.name ?? '';
  const output = { ok: false, tool: name, code: 'failed', error: 'stopped', retryable: false };
  const callId = call.payload?.['tool_call_id'];
  return {
    type: PART.TOOL_RESULT,
    name,
    content: JSON.stringify(output),
    payload: { tool_call_id: callId, output, is_error: true, truncated: false },
  };
};

/**
 * What a turn that ends early adds to its message: the answers to questions that its end closed, then `stopped` results
 * for calls that have none, so that history keeps pairs.
 */
export const closingParts = (
  placed: readonly PlacedPart[],
  messageId: string,
  end: { readonly closed: readonly PermissionData[]; readonly at: number },
): PlacedPart[] => {
  const open = new Map<unknown, Part>();
  for (const { part } of placed) {
    const callId = part.payload?.['tool_call_id'];
    if (part.type === PART.TOOL_CALL) open.set(callId, part);
    else if (part.type === PART.TOOL_RESULT) open.delete(callId);
  }
  let index = placed.filter((entry) => entry.messageId === messageId).length;
  const answers = end.closed.map((data) => resultPart(data, partId(index++)));
  const results = [...open.values()].map((call) => ({
    ...stoppedResult(call),
    id: partId(index++),
    createdAt: end.at,
  }));
  return [...answers, ...results].map((part) => ({ messageId, part }));
};

interface UnclaimedEnd {
  readonly session: SessionRow;
  readonly turn: TurnRow;
  readonly state: 'STOPPED' | 'FAILED';
  readonly reason: string;
  readonly errorPart?: (index: number, at: number) => Part;
}

/** Span and events of an end that no worker shows: what followers lack, after a RESET when a worker died. */
const showEnd = (
  { turn, reason }: UnclaimedEnd,
  body: TurnBody,
  shown: {
    readonly fence: number;
    readonly parts: readonly PlacedPart[];
    readonly error: Part | undefined;
    readonly at: number;
  },
): { readonly span: Span; readonly events: readonly SessionEvent[]; readonly lastSequence: number } => {
  const { fence, parts, error, at } = shown;
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const attempt = Math.max(1, turn.attempt);
  const sequencer = new EventSequencer(turn, fence, { attempt: attempt });
  const isReset = body.resume === 'recovered';
  const own = parts.findIndex((entry) => entry.messageId === messageId);
  const firstPart = isReset ? (own === -1 ? parts.length : own) : body.sentParts;
  const events: SessionEvent[] = isReset ? [sequencer.reset(messageId, 'recovered', at)] : [];
  for (const entry of parts.slice(firstPart)) events.push(sequencer.delta(entry.messageId, publicPart(entry.part), at));
  events.push(sequencer.terminal({ messageId, reason, part: error, timestamp: at }));
  const facts = isReset ? { reset: true, reason: 'recovered' } : { reset: false };
  return { span: { fence, attempt, firstPart, ...facts, messageId }, events, lastSequence: sequencer.sequence };
};

/**
 * Ends a turn that no worker holds (parked, handed over, refused at its claim, left by a dead worker): what was recorded
 * is stored, then DONE or ERROR. Returns the events to publish after the commit.
 */
export const finishUnclaimed = async ({ tx, deps }: FinishScope, end: UnclaimedEnd): Promise<SessionEvent[]> => {
  const { turn } = end;
  const at = tx.now();
  const body = parseBody(turn);
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const recorded = recordedParts(await tx.log.journal(turn.id));
  const closed = await closePermissions(tx, turn.id, { decidedBy: 'system', comment: end.reason });
  const parts = [...recorded, ...closingParts(recorded, messageId, { closed, at })];
  const error = end.errorPart?.(parts.filter((entry) => entry.messageId === messageId).length, at);
  const fence = end.session.fence + 1;
  const { span, events, lastSequence } = showEnd(end, body, { fence, parts, error, at });
  const fencedBody: TurnBody = { ...body, spans: [...body.spans, span] };
  const fenced: TurnRow = { ...turn, fence, body: JSON.stringify(fencedBody) };
  await tx.log.saveTurn(fenced);
  const others = await finishTurn(
    { tx, deps },
    {
      session: { ...end.session, fence },
      turn: fenced,
      body: fencedBody,
      placed: error === undefined ? parts : [...parts, { messageId, part: error }],
      state: end.state,
      reason: end.reason,
      lastSequence,
    },
  );
  return [...events, ...others];
};

/** DONE of a turn that never started, for streams of that turn only: without a place among the session's events. */
const asideEvent = (turn: TurnRow, body: TurnBody, at: number): SessionEvent => {
  const [messageId = ''] = body.replyMessageIds;
  const event = new EventSequencer(turn, 0, { attempt: 1 }).terminal({
    messageId,
    reason: 'stopped',
    part: undefined,
    timestamp: at,
  });
  return { ...event, sequence: 0 };
};

/** A queued turn that never started: STOPPED now, its user message stays; the DONE waits for a live claim. */
const stopQueued = async ({ tx, deps }: FinishScope, session: SessionRow, turn: TurnRow): Promise<void> => {
  const now = tx.now();
  const body: TurnBody = { ...parseBody(turn), reason: 'stopped' };
  const stopped: TurnRow = { ...turn, state: 'STOPPED', ready: false, finishedAt: now, body: JSON.stringify(body) };
  await tx.log.saveTurn(stopped);
  const left = afterTurnEnd(session, turn, now);
  const active = session.activeTurnId === '' ? undefined : await tx.log.turn(session.activeTurnId);
  if (active !== undefined && hasLiveClaim(active)) {
    const activeBody = parseBody(active);
    const pendingStops = [...activeBody.pendingStops, turn.id];
    await tx.log.saveTurn({ ...active, body: JSON.stringify({ ...activeBody, pendingStops }) });
    await tx.log.saveSession(left);
    publishAfterCommit({ tx, deps }, [asideEvent(turn, body, now)]);
  } else {
    const fenced = await fenceStoppedTurn(tx, left, stopped);
    await tx.log.saveSession(fenced.session);
    publishAfterCommit({ tx, deps }, [fenced.event]);
  }
  await runEndHooks({ tx, deps }, { session: left, turn: stopped, body, replyText: '' });
};

/** Publishes events once the transaction is durable. */
export const publishAfterCommit = (
  { tx, deps }: { readonly tx: WriteTx; readonly deps: Pick<FinishDeps, 'bus'> },
  events: readonly SessionEvent[],
): void => {
  tx.afterCommit(() => {
    for (const event of events) deps.bus.publish(eventSubject(event.sessionId), event);
  });
};

const flagClaimed = async ({ tx, deps }: FinishScope, turnId: string): Promise<void> => {
  const turn = await tx.log.turn(turnId);
  if (turn === undefined) return;
  await tx.log.saveTurn({ ...turn, stopRequested: true });
  tx.afterCommit(() => deps.bus.publish(STOP_TURN, { turnId: turn.id, sessionId: turn.sessionId }));
};

/**
 * Stops turns of a locked session: parked and handed-over ones at once, queued ones at once, a claimed one by its
 * flag, which the worker learns directly or by renewal. Answers the ids this call stopped.
 */
export const stopTurns = async (
  { tx, deps }: FinishScope,
  sessionId: string,
  choose: (turn: TurnRow) => boolean,
): Promise<string[]> => {
  const chosen = (await tx.log.openTurns(sessionId)).filter(choose);
  const stopped: string[] = [];
  const current = (): Promise<SessionRow | undefined> => tx.log.session(sessionId);
  for (const turn of chosen.filter((each) => hasStarted(each) && !hasLiveClaim(each))) {
    const session = await current();
    if (session === undefined) return stopped;
    const events = await finishUnclaimed({ tx, deps }, { session, turn, state: 'STOPPED', reason: 'stopped' });
    publishAfterCommit({ tx, deps }, events);
    stopped.push(turn.id);
  }
  for (const { id } of chosen.filter((each) => !hasStarted(each))) {
    const [session, turn] = [await current(), await tx.log.turn(id)];
    if (session === undefined || turn === undefined) return stopped;
    await stopQueued({ tx, deps }, session, turn);
    stopped.push(id);
  }
  for (const turn of chosen.filter(hasLiveClaim)) {
    if (!turn.stopRequested) stopped.push(turn.id);
    await flagClaimed({ tx, deps }, turn.id);
  }
  if (stopped.length > 0) await readyNext(tx, sessionId, deps.bus);
  return stopped.sort();
};
