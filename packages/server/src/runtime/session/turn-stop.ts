import type { SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import {
  eventSubject,
  type Part,
  type PlacedPart,
  type SessionEvent,
  type Span,
  STOP_TURN,
  type TurnBody,
} from '../contract.ts';
import {
  afterTurnEnd,
  closingParts,
  EventSequencer,
  hasLiveClaim,
  hasStarted,
  nextSpan,
  parseBody,
  publicPart,
  recordedParts,
} from '../record/index.ts';
import { closePermissions } from './permission-answers.ts';
import { type FinishPorts, type FinishScope, fenceStoppedTurn, finishTurn, runEndHooks } from './turn-finish.ts';
import { readyNext } from './turn-queue.ts';

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
  const attempt = Math.max(1, turn.attempt);
  const sequencer = new EventSequencer(turn, fence, { attempt: attempt });
  const span = nextSpan(body, { fence, attempt, recorded: parts });
  const { messageId } = span;
  const events: SessionEvent[] = span.reset ? [sequencer.reset(messageId, 'recovered', at)] : [];
  for (const entry of parts.slice(span.firstPart))
    events.push(sequencer.delta(entry.messageId, publicPart(entry.part), at));
  events.push(sequencer.terminal({ messageId, reason, part: error, timestamp: at }));
  return { span, events, lastSequence: sequencer.sequence };
};

/**
 * Ends a turn that no worker holds (parked, handed over, refused at its claim, left by a dead worker): what was recorded
 * is stored, what was reserved for a model call is given back, then DONE or ERROR. Returns the events to publish after the commit.
 */
export const finishUnclaimed = async ({ tx, ports }: FinishScope, end: UnclaimedEnd): Promise<SessionEvent[]> => {
  const { turn } = end;
  const at = tx.now();
  const body = parseBody(turn);
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const recorded = recordedParts(await tx.log.journal(turn.id));
  const closed = await closePermissions(tx, turn.id, { decidedBy: 'system', comment: end.reason });
  const parts = [...recorded, ...closingParts(recorded, messageId, { closed, at })];
  await ports.usage.releaseCost(tx, turn.namespace, turn.id);
  const error = end.errorPart?.(parts.filter((entry) => entry.messageId === messageId).length, at);
  const fence = end.session.fence + 1;
  const { span, events, lastSequence } = showEnd(end, body, { fence, parts, error, at });
  const fencedBody: TurnBody = { ...body, spans: [...body.spans, span] };
  const fenced: TurnRow = { ...turn, fence, body: JSON.stringify(fencedBody) };
  await tx.log.saveTurn(fenced);
  const others = await finishTurn(
    { tx, ports },
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
const stopQueued = async ({ tx, ports }: FinishScope, session: SessionRow, turn: TurnRow): Promise<void> => {
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
    publishAfterCommit({ tx, ports }, [asideEvent(turn, body, now)]);
  } else {
    const fenced = await fenceStoppedTurn(tx, left, stopped);
    await tx.log.saveSession(fenced.session);
    publishAfterCommit({ tx, ports }, [fenced.event]);
  }
  await runEndHooks({ tx, ports }, { session: left, turn: stopped, body, replyText: '' });
};

/** Publishes events once the transaction is durable. */
export const publishAfterCommit = (
  { tx, ports }: { readonly tx: WriteTx; readonly ports: Pick<FinishPorts, 'bus'> },
  events: readonly SessionEvent[],
): void => {
  tx.afterCommit(() => {
    for (const event of events) ports.bus.publish(eventSubject(event.sessionId), event);
  });
};

const flagClaimed = async ({ tx, ports }: FinishScope, turnId: string): Promise<void> => {
  const turn = await tx.log.turn(turnId);
  if (turn === undefined) return;
  await tx.log.saveTurn({ ...turn, stopRequested: true });
  tx.afterCommit(() => ports.bus.publish(STOP_TURN, { turnId: turn.id, sessionId: turn.sessionId }));
};

/**
 * Stops turns of a locked session: parked and handed-over ones at once, queued ones at once, a claimed one by its
 * flag, which the worker learns directly or by renewal. Answers the ids this call stopped.
 */
export const stopTurns = async (
  { tx, ports }: FinishScope,
  sessionId: string,
  choose: (turn: TurnRow) => boolean,
): Promise<string[]> => {
  const chosen = (await tx.log.openTurns(sessionId)).filter(choose);
  const stopped: string[] = [];
  const current = (): Promise<SessionRow | undefined> => tx.log.session(sessionId);
  for (const turn of chosen.filter((each) => hasStarted(each) && !hasLiveClaim(each))) {
    const session = await current();
    if (session === undefined) return stopped;
    const events = await finishUnclaimed({ tx, ports }, { session, turn, state: 'STOPPED', reason: 'stopped' });
    publishAfterCommit({ tx, ports }, events);
    stopped.push(turn.id);
  }
  for (const { id } of chosen.filter((each) => !hasStarted(each))) {
    const [session, turn] = [await current(), await tx.log.turn(id)];
    if (session === undefined || turn === undefined) return stopped;
    await stopQueued({ tx, ports }, session, turn);
    stopped.push(id);
  }
  for (const turn of chosen.filter(hasLiveClaim)) {
    if (!turn.stopRequested) stopped.push(turn.id);
    await flagClaimed({ tx, ports }, turn.id);
  }
  if (stopped.length > 0) await readyNext(tx, sessionId, ports.bus);
  return stopped.sort();
};
