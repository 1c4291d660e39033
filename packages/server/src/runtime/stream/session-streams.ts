import { type CancelTimer, type Clock, isFault, isUuid, type Log, notFound, together } from '../../base/index.ts';
import type { Bus, SessionRow, TurnRow } from '../../store/contracts/index.ts';
import { EVENT, eventSubject, SEQUENCE_BASE, SESSION_CHANGED, type SessionEvent } from '../contract.ts';
import { isTurnOver, parseBody } from '../turn-record.ts';
import { startedTurn } from './answer-cursor.ts';
import { CursorCodec, cursorExpired } from './cursor.ts';
import { cutEvents, startOfTurn } from './cut-events.ts';
import type { BufferLimits } from './event-buffer.ts';
import { EventStream, StreamMember, shuttingDown } from './event-stream.ts';
import { type EventSource, readEndedTurn, restingPosition, SessionFeed, sessionGone } from './session-feed.ts';
import { type HubKeeper, SessionHub } from './session-hub.ts';
import type { EventOutlet, FollowedSession, FollowRequest, SessionStreams } from './stream-contract.ts';

export interface SessionStreamsDeps extends EventSource {
  readonly store: EventSource['store'] & { readonly epoch: string };
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: BufferLimits;
  /** `streams.historySeconds`. */
  readonly historySeconds: number;
}

/** How often a running turn of another process, gone quiet, is looked up (RT-K12: within 2 s). */
const LOOK_MS = 1_000;

/** How a member begins: behind a place, with whatever comes, or with the events of a turn that is over. */
type Start =
  | {
      readonly position: number;
      /** Nothing is stored behind `position`. */
      readonly settled: boolean;
    }
  | 'next'
  | { readonly events: readonly SessionEvent[] };

const begin = (member: StreamMember, start: Start): void => {
  if (start === 'next') member.follow.startLive();
  else if ('position' in start) member.follow.start(start.position, start.settled);
  else {
    for (const event of start.events) member.deliver(event);
    member.finish();
  }
};

const startOf = (turn: TurnRow | undefined): number | undefined =>
  turn === undefined ? undefined : startOfTurn(parseBody(turn).spans);

const hubKey = (session: { readonly namespace: string; readonly agent: string; readonly sessionId: string }): string =>
  `${session.sessionId} ${session.agent} ${session.namespace}`;

/** All session streams of this process. Idle ones cost memory only: no timer, no store query (RT-R14). */
export class StreamRegistry implements SessionStreams, HubKeeper {
  readonly cursors: CursorCodec;
  readonly #deps: SessionStreamsDeps;
  readonly #hubs = new Map<string, SessionHub>();
  /** With whether each outlives a shutdown. */
  readonly #streams = new Map<EventStream, boolean>();
  /** Hubs in whose session a turn runs. */
  readonly #running = new Set<SessionHub>();
  readonly #endBusWatch: () => void;
  #timer: CancelTimer | undefined;
  #isShutDown = false;
  #isClosed = false;
  /** Streams ended because their reader was too slow (RT-R15), since the start; a metric. */
  slowEnded = 0;

  constructor(deps: SessionStreamsDeps) {
    this.#deps = deps;
    this.cursors = new CursorCodec(deps.store.epoch);
    this.#endBusWatch = deps.bus.subscribe(SESSION_CHANGED, (message) => this.#sessionChanged(message));
  }

  /** Streams with a reader at this moment. */
  get open(): number {
    return this.#streams.size;
  }

  now(): number {
    return this.#deps.store.now();
  }

  async follow(request: FollowRequest, outlet: EventOutlet, signal: AbortSignal): Promise<void> {
    const isWait = request.isWait === true;
    if (this.#isClosed || (this.#isShutDown && !isWait)) throw shuttingDown('');
    if (signal.aborted) return;
    const stream = new EventStream(outlet, this.#deps.limits);
    const stop = (): void => stream.end();
    signal.addEventListener('abort', stop);
    this.#streams.set(stream, isWait);
    try {
      await this.#begin(request, stream, outlet);
      await stream.finished();
    } catch (error) {
      if (isFault(error) && error.reason === 'SLOW_CONSUMER') this.slowEnded += 1;
      throw error;
    } finally {
      stream.end();
      this.#streams.delete(stream);
      signal.removeEventListener('abort', stop);
    }
  }

  shutDown(): void {
    this.#isShutDown = true;
    this.#endBusWatch();
    this.#timer?.();
    for (const [stream, isWait] of [...this.#streams]) if (!isWait) stream.endForShutdown();
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams.keys()]) stream.endForShutdown();
  }

  /** Looks up running turns that went quiet; called by the timer, and by tests. */
  async look(): Promise<void> {
    for (const hub of [...this.#running]) {
      const isFresh = hub.isFresh;
      hub.isFresh = false;
      if (isFresh || this.#deps.liveTurns.live(hub.sessionId) !== undefined) continue;
      const session = await this.#deps.store.direct.log.session(hub.sessionId);
      if (session === undefined) {
        this.#deleted(hub);
        continue;
      }
      const known = restingPosition(session);
      if (session.activeTurnId === '' || known > hub.seen) hub.lost();
      hub.seen = Math.max(hub.seen, known);
      // A parked turn wakes with an event, and a lost one shows on the next: no need to ask all the while.
      if (session.activeTurnId === '' || session.state === 'WAITING') hub.setRunning(false);
    }
  }

  runningChanged(hub: SessionHub): void {
    if (hub.running) this.#running.add(hub);
    else this.#running.delete(hub);
    if (this.#running.size > 0 && this.#timer === undefined) this.#schedule();
  }

  emptied(hub: SessionHub): void {
    hub.unsubscribe?.();
    this.#running.delete(hub);
    this.#hubs.delete(hubKey(hub.feed));
  }

  #schedule(): void {
    this.#timer = this.#deps.clock.after(LOOK_MS, () => {
      this.#timer = undefined;
      if (this.#running.size === 0) return;
      this.look()
        .catch((error: unknown) => this.#deps.log.warn('looking up quiet turns failed', { reason: String(error) }))
        .finally(() => {
          if (this.#running.size > 0 && this.#timer === undefined && !this.#isShutDown) this.#schedule();
        });
    });
  }

  /** Subscribes first, reads then (RT-2.6). */
  async #begin(request: FollowRequest, stream: EventStream, outlet: EventOutlet): Promise<void> {
    const rules = { untilDone: request.untilDone, turnId: request.turnId, batch: request.batch };
    const members = request.sessions.map((session) => {
      const hub = this.#hub(session);
      const member = new StreamMember(stream, hub, rules);
      hub.add(member);
      return member;
    });
    stream.adopt(members);
    const starts: Start[] = [];
    for (const asked of request.sessions) starts.push(await this.#start(asked, request.turnId));
    if (stream.ended) return;
    outlet.open();
    for (const [index, member] of members.entries()) {
      const start = starts[index];
      if (start !== undefined) begin(member, start);
    }
  }

  #hub(session: FollowedSession): SessionHub {
    const key = hubKey(session);
    const known = this.#hubs.get(key);
    if (known !== undefined) return known;
    const hub = new SessionHub(new SessionFeed(session, this.#deps), this);
    const subject = eventSubject(session.sessionId);
    const endEvents = this.#deps.bus.subscribe(subject, (message) => hub.receive(message as SessionEvent));
    const endGaps = this.#deps.bus.onGap(subject, () => hub.lost());
    hub.unsubscribe = () => {
      endEvents();
      endGaps();
    };
    this.#hubs.set(key, hub);
    return hub;
  }

  async #start(asked: FollowedSession, turnId: string): Promise<Start> {
    const [session, turn] = await together(this.#session(asked), this.#turn(asked.sessionId, turnId));
    this.#noteRow(asked, session);
    if (turn !== undefined && isTurnOver(turn)) return { events: await this.#endedTurn(turn, asked.after, session) };
    if (asked.after === 'live') return this.#liveStart(session);
    if (asked.after !== '' && asked.after !== '0') return await this.#cursorStart(session, asked.after);
    const position = startOf(turn ?? (await startedTurn(this.#deps.store.direct, session)));
    if (position !== undefined) return { position, settled: false };
    return turn === undefined ? { position: restingPosition(session), settled: true } : this.#liveStart(session);
  }

  #noteRow(asked: FollowedSession, session: SessionRow): void {
    const hub = this.#hubs.get(hubKey(asked));
    if (hub === undefined) return;
    hub.feed.epoch = session.epoch;
    hub.seen = Math.max(hub.seen, restingPosition(session));
    if (session.state === 'PROCESSING' && session.activeTurnId !== '') hub.setRunning(true);
  }

  async #session(asked: FollowedSession): Promise<SessionRow> {
    const row = isUuid(asked.sessionId) ? await this.#deps.store.direct.log.session(asked.sessionId) : undefined;
    if (row === undefined || row.namespace !== asked.namespace || row.agent !== asked.agent) throw sessionGone(asked);
    return row;
  }

  /** Undefined for no turn in particular. */
  async #turn(sessionId: string, turnId: string): Promise<TurnRow | undefined> {
    if (turnId === '') return undefined;
    const turn = isUuid(turnId) ? await this.#deps.store.direct.log.turn(turnId) : undefined;
    if (turn === undefined || turn.sessionId !== sessionId)
      throw notFound('Turn', { session_id: sessionId, turn_id: turnId });
    return turn;
  }

  /** All events of a turn that is over: each stored part once, then the terminal event. */
  async #endedTurn(turn: TurnRow, after: string, session: SessionRow): Promise<readonly SessionEvent[]> {
    const view = await readEndedTurn(this.#deps.store.direct, turn);
    const isWhole = after === '' || after === '0' || after === 'live';
    const position = isWhole ? -1 : this.cursors.decode(after, session);
    const events = cutEvents(view, position);
    return isWhole ? events.filter((event) => event.kind !== EVENT.RESET) : events;
  }

  /** With whatever comes when only another process knows how far the turn is. */
  #liveStart(session: SessionRow): Start {
    if (session.activeTurnId === '') return { position: restingPosition(session), settled: true };
    const live = this.#deps.liveTurns.live(session.id);
    return live === undefined ? 'next' : { position: live.sequence, settled: true };
  }

  async #cursorStart(session: SessionRow, after: string): Promise<Start> {
    const position = this.cursors.decode(after, session);
    const resting = restingPosition(session);
    if (session.activeTurnId === '' && position >= session.lastSequence)
      return { position: Math.max(position, resting), settled: true };
    const missed = await this.#deps.store.direct.log.turnsFromFence(
      session.id,
      Math.floor(position / SEQUENCE_BASE),
      2,
    );
    const oldest = missed.find((turn) => !isTurnOver(turn) || parseBody(turn).lastSequence > position);
    const kept = this.now() - this.#deps.historySeconds * 1_000_000;
    if (oldest !== undefined && isTurnOver(oldest) && oldest.finishedAt < kept) throw cursorExpired();
    return { position, settled: false };
  }

  #sessionChanged(message: unknown): void {
    const change = message as FollowedSession & { readonly reason: string };
    const hub = this.#hubs.get(hubKey(change));
    if (hub === undefined) return;
    if (change.reason === 'deleted') this.#deleted(hub);
    else hub.lost();
  }

  #deleted(hub: SessionHub): void {
    const fault = sessionGone(hub.feed);
    for (const member of hub.members) member.deleted(fault);
  }
}
