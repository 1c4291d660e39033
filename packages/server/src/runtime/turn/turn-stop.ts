import type { SessionRow, TurnRow, WriteTx } from '../../store/contracts/index.ts';
import { eventSubject, PART, type Part, type PlacedPart, type SessionEvent, STOP_TURN } from '../contract.ts';
import { EventSequencer } from '../event-sequencer.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';
import { parseBody, partId, recordedParts } from '../turn-record.ts';
import { closePermissions } from './permission-records.ts';
import { fenceStoppedTurn, finishTurn } from './turn-finish.ts';
import { afterTurnEnd, readyNext } from './turn-queue.ts';

export type StopDeps = Pick<RuntimeDeps, 'ids' | 'endHooks' | 'bus'>;

/** True while a worker executes the turn: only that worker may end it (RT-2.8). */
const hasLiveClaim = (turn: TurnRow): boolean =>
  turn.state === 'RUNNING' || (turn.state === 'WAITING' && turn.worker !== '');

/** `stopped` results for calls that have none, so that history keeps pairs (RT-2.8, RT-R24). */
export const stoppedResults = (placed: readonly PlacedPart[], at: number): PlacedPart[] => {
  const open = new Map<string, PlacedPart>();
  for (const entry of placed) {
    const callId = String(entry.part.payload?.['tool_call_id'] ?? '');
    if (entry.part.type === PART.TOOL_CALL) open.set(callId, entry);
    else if (entry.part.type === PART.TOOL_RESULT) open.delete(callId);
  }
  const lastMessage = placed.at(-1)?.messageId ?? '';
  let index = placed.filter((entry) => entry.messageId === lastMessage).length;
  return [...open].map(([callId, call]) => {
    const output = { ok: false, tool: call.part.name ?? '', code: 'failed', error: 'stopped', retryable: false };
    const part: Part = {
      id: partId(index++),
      type: PART.TOOL_RESULT,
      name: call.part.name ?? '',
      content: JSON.stringify(output),
      payload: { tool_call_id: callId, output, is_error: true, truncated: false },
      createdAt: at,
    };
    return { messageId: lastMessage, part };
  });
};

/** Ends a started turn that no worker holds (parked, handed over): what was recorded is stored, then DONE or ERROR. */
export const finishUnclaimed = async (
  tx: WriteTx,
  request: {
    readonly session: SessionRow;
    readonly turn: TurnRow;
    readonly state: 'STOPPED' | 'FAILED';
    readonly reason: string;
    readonly errorPart?: (index: number, at: number) => Part;
  },
  deps: StopDeps,
): Promise<SessionEvent[]> => {
  const { turn } = request;
  const now = tx.now();
  const body = parseBody(turn);
  const messageId = body.replyMessageIds.at(-1) ?? '';
  const recorded = recordedParts(await tx.log.journal(turn.id));
  await closePermissions(tx, turn.id, { decidedBy: 'system', comment: request.reason });
  const added: PlacedPart[] = stoppedResults(recorded, now).map((entry) => ({
    ...entry,
    messageId: entry.messageId === '' ? messageId : entry.messageId,
  }));
  const before = [...recorded, ...added];
  const index = before.filter((entry) => entry.messageId === messageId).length;
  const errorPart = request.errorPart?.(index, now);
  const placed = errorPart === undefined ? before : [...before, { messageId, part: errorPart }];
  const fence = request.session.fence + 1;
  const sequencer = new EventSequencer(
    { namespace: turn.namespace, agent: turn.agent, sessionId: turn.sessionId, turnId: turn.id },
    fence,
    Math.max(1, turn.attempt),
  );
  const unsent = before.slice(body.sentParts);
  const events = unsent.map((entry) => sequencer.delta(entry.messageId, entry.part, now));
  events.push(sequencer.terminal({ messageId, reason: request.reason, part: errorPart, timestamp: now }));
  const span = { fence, attempt: Math.max(1, turn.attempt), firstPart: body.sentParts, reset: false, messageId };
  const fenced: TurnRow = { ...turn, fence, body: JSON.stringify({ ...body, spans: [...body.spans, span] }) };
  await tx.log.saveTurn(fenced);
  const others = await finishTurn(
    tx,
    {
      session: { ...request.session, fence },
      turn: fenced,
      body: parseBody(fenced),
      placed,
      state: request.state,
      reason: request.reason,
      lastSequence: sequencer.sequence,
    },
    deps,
  );
  return [...events, ...others];
};

/** A queued turn that never started: STOPPED now, its user message stays; the DONE waits for a live claim (RT-2.6). */
const stopQueued = async (
  tx: WriteTx,
  session: SessionRow,
  turn: TurnRow,
): Promise<{ readonly session: SessionRow; readonly event: SessionEvent | undefined }> => {
  const now = tx.now();
  const body = parseBody(turn);
  const stopped: TurnRow = {
    ...turn,
    state: 'STOPPED',
    ready: false,
    finishedAt: now,
    body: JSON.stringify({ ...body, reason: 'stopped' }),
  };
  await tx.log.saveTurn(stopped);
  const left = afterTurnEnd(session, turn, now);
  const active = session.activeTurnId === '' ? undefined : await tx.log.turn(session.activeTurnId);
  if (active !== undefined && hasLiveClaim(active)) {
    const activeBody = parseBody(active);
    await tx.log.saveTurn({
      ...active,
      body: JSON.stringify({ ...activeBody, pendingStops: [...activeBody.pendingStops, turn.id] }),
    });
    return { session: left, event: undefined };
  }
  const fenced = await fenceStoppedTurn(tx, left, stopped);
  return fenced;
};

const publishAfterCommit = (tx: WriteTx, bus: StopDeps['bus'], events: readonly SessionEvent[]): void => {
  tx.afterCommit(() => {
    for (const event of events) bus.publish(eventSubject(event.sessionId), event);
  });
};

const stopStarted = async (tx: WriteTx, turn: TurnRow, deps: StopDeps): Promise<void> => {
  if (hasLiveClaim(turn)) {
    await tx.log.saveTurn({ ...turn, stopRequested: true });
    tx.afterCommit(() => deps.bus.publish(STOP_TURN, { turnId: turn.id, sessionId: turn.sessionId }));
    return;
  }
  const session = await tx.log.session(turn.sessionId);
  if (session === undefined) return;
  publishAfterCommit(
    tx,
    deps.bus,
    await finishUnclaimed(tx, { session, turn, state: 'STOPPED', reason: 'stopped' }, deps),
  );
};

/**
 * Stops turns of a locked session (RT-2.8): queued ones at once, parked and handed-over ones at once, a claimed one by
 * its flag, which the worker learns directly or by renewal. Answers the ids this call stopped.
 */
export const stopTurns = async (
  tx: WriteTx,
  session: SessionRow,
  choose: (turn: TurnRow) => boolean,
  deps: StopDeps,
): Promise<string[]> => {
  const open = (await tx.log.openTurns(session.id)).filter(choose);
  const stopped: string[] = [];
  const queued = open.filter((turn) => turn.state === 'QUEUED' && turn.attempt === 0);
  for (const turn of queued) {
    const current = (await tx.log.session(session.id)) ?? session;
    const result = await stopQueued(tx, current, turn);
    await tx.log.saveSession(result.session);
    if (result.event !== undefined) publishAfterCommit(tx, deps.bus, [result.event]);
    stopped.push(turn.id);
  }
  for (const turn of open) {
    if (turn.state === 'QUEUED' && turn.attempt === 0) continue;
    if (!turn.stopRequested) stopped.push(turn.id);
    const fresh = await tx.log.turn(turn.id);
    if (fresh !== undefined) await stopStarted(tx, fresh, deps);
  }
  if (queued.length > 0) await readyNext(tx, session.id);
  return stopped.sort();
};
