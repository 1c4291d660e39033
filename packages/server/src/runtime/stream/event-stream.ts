import { Fault, inTurns, type Steps } from '../../base/index.ts';
import { Follow, type FollowTarget } from '../../streams/index.ts';
import { EVENT, PART, SEQUENCE_BASE, type SessionEvent } from '../contract.ts';
import { type BufferLimits, EventBuffer, limitsFor } from './event-buffer.ts';
import type { SessionHub } from './session-hub.ts';
import type { EventOutlet } from './stream-contract.ts';

/** Members of an ended stream that leave their sessions before others get a turn. */
const LEAVES_PER_TURN = 200;

function* leaving(members: readonly StreamMember[]): Steps<void> {
  for (const member of members) {
    member.leave();
    yield;
  }
}

/** One reader: sessions it follows, what waits while it lags, and how it ends. */
export class EventStream {
  readonly #outlet: EventOutlet;
  readonly #limits: BufferLimits;
  /** Undefined while the reader keeps up. */
  #waiting: EventBuffer | undefined;
  /** What waits for the reader to catch up. */
  #caughtUp: PromiseWithResolvers<void> | undefined;
  #watchesDrain = false;
  #members: StreamMember[] = [];
  /** Members that the stream has in all, those to come included. */
  #size = 0;
  /** Of them, the ones that may still have something to say. */
  #open = 0;
  #lastCursor = '';
  #ended = false;
  #fault: unknown;
  /** Set once somebody waits for the end. */
  #settle: { readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;
  /** The hub of each waiting event, by session, to name its cursor when it is sent at last. */
  #hubs: Map<string, SessionHub> | undefined;

  constructor(outlet: EventOutlet, limits: BufferLimits) {
    this.#outlet = outlet;
    this.#limits = limits;
  }

  /** Settles as the stream ends: OK, or with its fault. Called once. */
  finished(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      if (this.#ended) this.#tell();
    });
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Says how many members are adopted one by one: the stream does not end while some are to come. */
  expect(members: number): void {
    this.#size = members;
    this.#open = members;
  }

  /** Takes a member in, which must already be in its hub; it leaves at once when the stream has ended. */
  adopt(member: StreamMember): void {
    if (this.#ended) return member.leave();
    this.#members.push(member);
    this.#hubs?.set(member.hub.sessionId, member.hub);
  }

  send(event: SessionEvent, hub: SessionHub): void {
    if (this.#ended) return;
    if (this.#waiting !== undefined) {
      if (!this.#waiting.push(event)) this.#endSlow();
      return;
    }
    this.#lastCursor = hub.cursor(event.sequence);
    if (!this.#outlet.send(event, this.#lastCursor)) this.#lag();
  }

  /** Undefined while the reader keeps up; otherwise resolves when it has taken what waits, or when the stream ends. */
  ready(): Promise<void> | undefined {
    if (this.#waiting === undefined) return undefined;
    this.#caughtUp ??= Promise.withResolvers<void>();
    return this.#caughtUp.promise;
  }

  /** One member needs no more events; the stream ends OK after the last one. */
  memberDone(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#waiting === undefined) this.end();
  }

  /** Ends the stream: OK without a fault. Later sends are dropped. */
  end(fault?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#noteCaughtUp();
    void inTurns(leaving(this.#members), LEAVES_PER_TURN);
    this.#members = [];
    this.#fault = fault;
    this.#tell();
  }

  #tell(): void {
    if (this.#fault === undefined) this.#settle?.resolve();
    else this.#settle?.reject(this.#fault);
  }

  /** SHUTTING_DOWN and the cursor to resume from. */
  endForShutdown(): void {
    const [only] = this.#members;
    const place = this.#members.length === 1 && only !== undefined && this.#waiting === undefined ? only.place : '';
    this.end(shuttingDown(place === '' ? this.#lastCursor : place));
  }

  #lag(): void {
    this.#waiting = new EventBuffer(limitsFor(this.#limits, Math.max(1, this.#size)));
    this.#hubs ??= new Map(this.#members.map((member) => [member.hub.sessionId, member.hub]));
    if (this.#watchesDrain) return;
    this.#watchesDrain = true;
    this.#outlet.onDrained(() => this.#drain());
  }

  #drain(): void {
    const waiting = this.#waiting;
    if (waiting === undefined || this.#ended) return;
    for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) {
      if (!this.#forward(event)) return;
    }
    this.#noteCaughtUp();
    if (this.#open === 0) this.end();
  }

  #noteCaughtUp(): void {
    this.#waiting = undefined;
    this.#caughtUp?.resolve();
    this.#caughtUp = undefined;
  }

  #forward(event: SessionEvent): boolean {
    this.#lastCursor = this.#hubs?.get(event.sessionId)?.cursor(event.sequence) ?? '';
    return this.#outlet.send(event, this.#lastCursor);
  }

  /** The buffered events still go out, then the fault that names the last of them. */
  #endSlow(): void {
    const waiting = this.#waiting;
    for (let event = waiting?.shift(); event !== undefined; event = waiting?.shift()) this.#forward(event);
    const metadata = { cursor: this.#lastCursor };
    this.end(new Fault('ABORTED', 'SLOW_CONSUMER', 'the reader is too slow: resume from the cursor', { metadata }));
  }
}

/** Ends a stream of a node that stops; the reader resumes elsewhere after the cursor. */
export const shuttingDown = (cursor: string): Fault =>
  new Fault('UNAVAILABLE', 'SHUTTING_DOWN', 'the server is shutting down: resume from the cursor elsewhere', {
    metadata: { cursor },
  });

export interface MemberRules {
  readonly untilDone: boolean;
  /** Only events of this turn; '' = all. */
  readonly turnId: string;
  readonly batch: boolean;
}

/** One session on one stream. */
export class StreamMember implements FollowTarget<SessionEvent> {
  readonly hub: SessionHub;
  readonly follow: Follow<SessionEvent>;
  readonly #stream: EventStream;
  readonly #rules: MemberRules;
  #left = false;
  /** Called once, as the member leaves its session. */
  onLeave: (() => void) | undefined;

  constructor(stream: EventStream, hub: SessionHub, rules: MemberRules) {
    this.#stream = stream;
    this.hub = hub;
    this.#rules = rules;
    this.follow = new Follow(hub.feed, this);
  }

  get turnId(): string {
    return this.#rules.turnId;
  }

  get left(): boolean {
    return this.#left;
  }

  /** Cursor of everything seen so far, '' when not known. */
  get place(): string {
    const { position } = this.follow;
    return Number.isNaN(position) ? '' : this.hub.cursor(position);
  }

  deliver(event: SessionEvent): void {
    const { turnId, untilDone } = this.#rules;
    if (turnId !== '' && event.turnId !== turnId) return;
    this.#stream.send(event, this.hub);
    const isEnd = event.kind === EVENT.DONE || event.kind === EVENT.ERROR;
    if (isEnd && (untilDone || turnId !== '')) this.finish();
  }

  ready(): Promise<void> | undefined {
    return this.#stream.ready();
  }

  /** Sends these events at the reader's pace and ends; instead of following the session. */
  async deliverAll(events: readonly SessionEvent[]): Promise<void> {
    for (const event of events) {
      if (this.#left) return;
      this.deliver(event);
      // Not awaited without need: the events of one turn leave together.
      const wait = this.ready();
      if (wait !== undefined) await wait;
    }
    this.finish();
  }

  fail(error: unknown): void {
    const isGone = error instanceof Fault && error.reason === 'SESSION_NOT_FOUND';
    if (isGone) this.deleted(error);
    else this.#stream.end(error);
  }

  /** The session was deleted: the stream's end, or in a batch an ERROR of this session only. */
  deleted(fault: Fault): void {
    if (this.#left) return;
    if (!this.#rules.batch) {
      this.#stream.end(fault);
      return;
    }
    this.#stream.send(deletedEvent(this.hub, this.follow.position), this.hub);
    this.finish();
  }

  leave(): void {
    if (this.#left) return;
    this.#left = true;
    this.onLeave?.();
    this.follow.stop();
    this.hub.remove(this);
  }

  /** Nothing more is wanted of this session. */
  finish(): void {
    if (this.#left) return;
    this.leave();
    this.#stream.memberDone();
  }
}

const deletedEvent = (hub: SessionHub, position: number): SessionEvent => {
  const sequence = Number.isNaN(position) ? 0 : position + 1;
  const timestamp = hub.now();
  const reason = 'session_deleted';
  return {
    namespace: hub.feed.namespace,
    agent: hub.feed.agent,
    sessionId: hub.sessionId,
    turnId: '',
    messageId: '',
    kind: EVENT.ERROR,
    part: {
      id: '000000',
      type: PART.ERROR,
      content: 'Error: the session was deleted.',
      payload: { reason, code: 'NOT_FOUND', retryable: false },
      createdAt: timestamp,
    },
    attempt: 1,
    fence: Math.floor(sequence / SEQUENCE_BASE),
    sequence,
    units: 1,
    timestamp,
    reason,
  };
};
