import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, isFault, isUuid, type Log, notFound, together } from '../../base/index.ts';
import {
  type Bus,
  earlierNow,
  type ReadTx,
  type SessionRow,
  type Store,
  type TurnRow,
} from '../../store/contracts/index.ts';
import { Hubs, Reader, type ReaderLimits, type ReaderRules, type Sink, shuttingDown } from '../../streams/index.ts';
import { EVENT, eventSubject, SEQUENCE_BASE, SESSION_CHANGED, type SessionEvent } from '../contract.ts';
import { isTurnOver, parseBody } from '../record/index.ts';
import { startedTurn } from './answer-cursor.ts';
import { CursorCodec, cursorExpired } from './cursor.ts';
import { cutEvents, startOfTurn } from './cut-events.ts';
import { HubWatch } from './hub-watch.ts';
import { endWhenIdle } from './idle-end.ts';
import { type EventSource, readEndedTurn, restingPosition, SessionFeed, sessionGone } from './session-feed.ts';
import { type HubKeeper, SessionHub, SessionMember } from './session-hub.ts';
import type { FollowedSession, FollowRequest, SessionStreams } from './stream-contract.ts';
import { viewOfJournal } from './turn-view.ts';

export interface SessionStreamsDeps extends EventSource {
  readonly store: EventSource['store'] & Pick<Store, 'epoch' | 'steadyNow'>;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: ReaderLimits;
  /** `streams.historySeconds`. */
  readonly historySeconds: number;
  /** Other processes may run turns of the same store, and no bus tells of them. */
  readonly isShared?: boolean;
  /** `streams.untilDoneIdleSeconds`, in milliseconds. */
  readonly untilDoneIdleMs: number;
}

/** Values of `after` that name no place in the events of a session. */
const WITHOUT_CURSOR: ReadonlySet<string> = new Set(['', '0', 'live']);

/**
 * Sessions of a batch for which one thing is done in one turn of the event loop; SQLite answers without leaving it, and others wait
 * meanwhile.
 */
const STARTS_PER_TURN = 100;

const isTurnEnd = (index: number): boolean => index % STARTS_PER_TURN === STARTS_PER_TURN - 1;

/** How a member begins: behind a place, with whatever comes, or with the events of a turn that is over. */
type Start =
  | {
      readonly position: number;
      /** Nothing is stored behind `position`. */
      readonly settled: boolean;
    }
  /** Whatever comes next; `recorded`: how far the store knows the turn that another process runs. */
  | { readonly recorded: number }
  | { readonly events: readonly SessionEvent[] };

const begin = (member: SessionMember, start: Start): void => {
  if ('recorded' in start) member.follow.startLive(start.recorded);
  else if ('position' in start) member.follow.start(start.position, start.settled);
  else member.deliverAll(start.events).catch((error: unknown) => member.fail(error));
};

const startOf = (turn: TurnRow | undefined): number | undefined =>
  turn === undefined ? undefined : startOfTurn(parseBody(turn).spans);

const hubKey = (session: { readonly namespace: string; readonly agent: string; readonly sessionId: string }): string =>
  `${session.sessionId} ${session.agent} ${session.namespace}`;

/** All session streams of this process. An idle one costs memory only: no timer, no store query of its own. */
export class StreamRegistry implements SessionStreams, HubKeeper {
  readonly cursors: CursorCodec;
  readonly #deps: SessionStreamsDeps;
  readonly #hubs: Hubs<SessionEvent, SessionHub>;
  /** With whether each outlives a shutdown. */
  readonly #streams = new Map<Reader<SessionEvent>, boolean>();
  readonly #watch: HubWatch;
  readonly #endBusWatch: () => void;
  #isShutDown = false;
  #isClosed = false;
  /** Streams ended because their reader was too slow, since the start; a metric. */
  slowEnded = 0;
  /** One for all streams. */
  readonly #rules: ReaderRules<SessionEvent>;

  constructor(deps: SessionStreamsDeps) {
    this.#deps = deps;
    this.cursors = new CursorCodec(deps.store.epoch);
    this.#hubs = new Hubs(deps.bus);
    this.#rules = { ...deps.limits, ended: (reader, fault) => this.#noteEnd(reader, fault) };
    this.#watch = new HubWatch({
      store: deps.store,
      clock: deps.clock,
      log: deps.log,
      liveTurns: deps.liveTurns,
      isShared: deps.isShared === true,
      hub: (session) => this.#hubs.get(hubKey(session)),
      deleted: (hub) => this.#deleted(hub),
    });
    this.#endBusWatch = deps.bus.subscribe(SESSION_CHANGED, (message) => this.#sessionChanged(message));
  }

  /** Streams with a reader at this moment. */
  get open(): number {
    return this.#streams.size;
  }

  now(): number {
    return this.#deps.store.now();
  }

  follow(request: FollowRequest, sink: Sink<SessionEvent>, signal: AbortSignal): Promise<void> {
    const isWait = request.isWait === true;
    if (this.#isClosed || (this.#isShutDown && !isWait)) return Promise.reject(shuttingDown(''));
    const reader = new Reader(sink, this.#rules);
    this.#streams.set(reader, isWait);
    return reader.run(signal, () => this.#begin(request, reader, sink));
  }

  shutDown(): void {
    this.#isShutDown = true;
    this.#endBusWatch();
    this.#watch.close();
    for (const [stream, isWait] of [...this.#streams]) if (!isWait) stream.end(shuttingDown(stream.place));
  }

  close(): void {
    this.#isClosed = true;
    for (const stream of [...this.#streams.keys()]) stream.end(shuttingDown(stream.place));
  }

  /** Checks the store for what the bus did not bring; called by tests, otherwise by a timer. */
  check(): Promise<void> {
    return this.#watch.check();
  }

  runningChanged(hub: SessionHub): void {
    this.#watch.runningChanged(hub);
  }

  /** Subscribes first and reads then, so that nothing falls between the two. Stops where the stream ends meanwhile. */
  async #begin(request: FollowRequest, reader: Reader<SessionEvent>, sink: Sink<SessionEvent>): Promise<void> {
    const members = await this.#join(request, reader);
    await this.#watch.ready();
    const starts = await this.#starts(request, reader);
    if (reader.ended) return;
    sink.open();
    for (const [index, member] of members.entries()) {
      if (isTurnEnd(index)) await nextTurn();
      if (reader.ended) return;
      const start = starts[index];
      if (start !== undefined) begin(member, start);
      const after = request.sessions[index]?.after ?? '';
      const hasPlace = request.turnId !== '' || !WITHOUT_CURSOR.has(after);
      if (request.untilDone && !hasPlace && !member.left) this.#endWhenIdle(member);
    }
  }

  async #join(request: FollowRequest, reader: Reader<SessionEvent>): Promise<readonly SessionMember[]> {
    const rules = { untilDone: request.untilDone, turnId: request.turnId, batch: request.batch };
    reader.expect(request.sessions.length);
    const members: SessionMember[] = [];
    for (const [index, session] of request.sessions.entries()) {
      if (isTurnEnd(index)) await nextTurn();
      if (reader.ended) break;
      const hub = this.#hub(session);
      const member = new SessionMember(reader, hub, rules);
      hub.add(member);
      reader.adopt(member);
      members.push(member);
    }
    return members;
  }

  async #starts(request: FollowRequest, reader: Reader<SessionEvent>): Promise<readonly Start[]> {
    const starts: Start[] = [];
    for (const [index, asked] of request.sessions.entries()) {
      if (isTurnEnd(index)) await nextTurn();
      if (reader.ended) break;
      starts.push(await this.#start(asked, request.turnId));
    }
    return starts;
  }

  #noteEnd(reader: Reader<SessionEvent>, fault: unknown): void {
    this.#streams.delete(reader);
    if (isFault(fault) && fault.reason === 'SLOW_CONSUMER') this.slowEnded += 1;
  }

  #endWhenIdle(member: SessionMember): void {
    const session = (id: string): Promise<SessionRow | undefined> => this.#deps.store.direct.log.session(id);
    endWhenIdle(member, { ...this.#deps, session });
  }

  #hub(session: FollowedSession): SessionHub {
    return this.#hubs.open(hubKey(session), eventSubject(session.sessionId), () => {
      const hub = new SessionHub(new SessionFeed(session, this.#deps, this.cursors), this);
      hub.emptied = () => this.#watch.dropped(hub);
      this.#watch.added();
      return hub;
    });
  }

  /**
   * Where a member begins. Session and turn come from one snapshot: read one by one, a turn could end between the two and
   * its end be taken for seen. Read again as long as this process runs a later turn than the snapshot knows.
   */
  async #start(asked: FollowedSession, turnId: string): Promise<Start> {
    const { store } = this.#deps;
    const resting = turnId === '' ? await this.#restingStart(store.direct, asked) : undefined;
    if (resting !== undefined) return resting;
    for (;;) {
      const start = await store.read((tx) => this.#snapshotStart(tx, asked, turnId));
      if (start !== undefined) return start;
    }
  }

  /** Undefined unless the row of the session alone says that everything stored was seen. */
  async #restingStart(tx: ReadTx, asked: FollowedSession): Promise<Start | undefined> {
    const session = await this.#session(tx, asked);
    if (session.openTurns > 0) return undefined;
    this.#noteRow(asked, session);
    const resting = restingPosition(session);
    if (WITHOUT_CURSOR.has(asked.after)) return { position: resting, settled: true };
    const position = this.cursors.decode(asked.after, session);
    return position >= session.lastSequence ? { position: Math.max(position, resting), settled: true } : undefined;
  }

  /** Undefined when the snapshot is too old. */
  async #snapshotStart(tx: ReadTx, asked: FollowedSession, turnId: string): Promise<Start | undefined> {
    const [session, turn] = await together(this.#session(tx, asked), this.#turn(tx, asked.sessionId, turnId));
    this.#noteRow(asked, session);
    if (turn !== undefined && isTurnOver(turn))
      return { events: await this.#endedTurn(tx, turn, { after: asked.after, session }) };
    if (asked.after === 'live') return this.#liveStart(tx, session);
    if (asked.after !== '' && asked.after !== '0') return await this.#cursorStart(tx, session, asked.after);
    const position = startOf(turn ?? (await startedTurn(tx, session)));
    if (position !== undefined) return { position, settled: false };
    const resting = restingPosition(session);
    if (turn === undefined || session.activeTurnId === '') return { position: resting, settled: true };
    // The turn waits behind the running one. Once that has ended it may have begun, so its start is searched from there.
    const live = this.#deps.liveTurns.live(session.id);
    if (live?.turnId === session.activeTurnId) return { position: live.sequence, settled: true };
    return { position: session.fence * SEQUENCE_BASE, settled: false };
  }

  #noteRow(asked: FollowedSession, session: SessionRow): void {
    const hub = this.#hubs.get(hubKey(asked));
    if (hub === undefined) return;
    hub.feed.noteEpoch(session.epoch);
    // What one follower knows at its start says nothing of the others: they may have missed it.
    if (hub.members.size === 1) hub.seen = Math.max(hub.seen, restingPosition(session));
    const isRunning = session.state === 'PROCESSING' && session.activeTurnId !== '';
    if (this.#deps.isShared === true ? session.openTurns > 0 : isRunning) hub.setRunning(true);
  }

  async #session(tx: ReadTx, asked: FollowedSession): Promise<SessionRow> {
    const row = isUuid(asked.sessionId) ? await tx.log.session(asked.sessionId) : undefined;
    if (row === undefined || row.namespace !== asked.namespace || row.agent !== asked.agent) throw sessionGone(asked);
    return row;
  }

  /** Undefined for no turn in particular. */
  async #turn(tx: ReadTx, sessionId: string, turnId: string): Promise<TurnRow | undefined> {
    if (turnId === '') return undefined;
    const turn = isUuid(turnId) ? await tx.log.turn(turnId) : undefined;
    if (turn === undefined || turn.sessionId !== sessionId)
      throw notFound('Turn', { session_id: sessionId, turn_id: turnId });
    return turn;
  }

  /** All events of a turn that is over: each stored part once, then the terminal event. */
  async #endedTurn(
    tx: ReadTx,
    turn: TurnRow,
    { after, session }: { readonly after: string; readonly session: SessionRow },
  ): Promise<readonly SessionEvent[]> {
    const view = await readEndedTurn(tx, turn);
    const isWhole = WITHOUT_CURSOR.has(after);
    const position = isWhole ? -1 : this.cursors.decode(after, session);
    const events = cutEvents(view, position);
    return isWhole ? events.filter((event) => event.kind !== EVENT.RESET) : events;
  }

  /** Behind what was shown so far. Undefined when the turn has ended here since: its end has to be shown. */
  async #liveStart(tx: ReadTx, session: SessionRow): Promise<Start | undefined> {
    const resting = restingPosition(session);
    if (session.activeTurnId === '') return { position: resting, settled: true };
    const live = this.#deps.liveTurns.live(session.id);
    if (live?.turnId === session.activeTurnId) return { position: live.sequence, settled: true };
    if (live !== undefined && live.fence > session.fence) return undefined;
    const turn = await tx.log.turn(session.activeTurnId);
    if (turn === undefined) return { recorded: resting };
    const shown = cutEvents(viewOfJournal(turn, await tx.log.journal(turn.id)), resting);
    return { recorded: shown.at(-1)?.sequence ?? resting };
  }

  async #cursorStart(tx: ReadTx, session: SessionRow, after: string): Promise<Start> {
    const position = this.cursors.decode(after, session);
    const resting = restingPosition(session);
    if (session.activeTurnId === '' && position >= session.lastSequence)
      return { position: Math.max(position, resting), settled: true };
    const missed = await tx.log.turnsFromFence(session.id, Math.floor(position / SEQUENCE_BASE), 2);
    const oldest = missed.find((turn) => !isTurnOver(turn) || parseBody(turn).lastSequence > position);
    const kept = earlierNow(this.#deps.store) - this.#deps.historySeconds * 1_000_000;
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
