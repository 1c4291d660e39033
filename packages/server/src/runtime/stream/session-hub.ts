import { Fault } from '../../base/index.ts';
import { Hub, Member, type Reader } from '../../streams/index.ts';
import { EVENT, PART, SEQUENCE_BASE, type SessionEvent } from '../contract.ts';
import type { SessionFeed } from './session-feed.ts';

/** What hubs share with the service that owns them. */
export interface HubKeeper {
  now(): number;
  /** A turn began or ended to run in the session: the store is checked while one runs. */
  runningChanged(hub: SessionHub): void;
}

/** One session with followers in this process, and what is known of its turns without asking the store. */
export class SessionHub extends Hub<SessionEvent, SessionMember, SessionFeed> {
  readonly #keeper: HubKeeper;
  running = false;
  /** Newest sequence that every follower has seen, by the bus or by a check of the store. */
  seen = 0;
  /** The active turn and its journal entries at the last check of the store, '' for none. */
  recorded = '';
  /** An event came since the last check of the store. */
  isFresh = false;

  constructor(feed: SessionFeed, keeper: HubKeeper) {
    super(feed);
    this.#keeper = keeper;
  }

  get sessionId(): string {
    return this.feed.sessionId;
  }

  now(): number {
    return this.#keeper.now();
  }

  override receive(event: SessionEvent): void {
    if (event.sequence === 0) {
      this.#receiveAside(event);
      return;
    }
    if (event.sequence > this.seen) this.seen = event.sequence;
    this.isFresh = true;
    this.setRunning(event.kind !== EVENT.DONE && event.kind !== EVENT.ERROR);
    super.receive(event);
  }

  setRunning(running: boolean): void {
    if (running === this.running) return;
    this.running = running;
    this.#keeper.runningChanged(this);
  }

  /** The end of a turn that never started concerns only streams of that turn. */
  #receiveAside(event: SessionEvent): void {
    for (const member of this.members) if (member.turnId === event.turnId) member.deliver(event);
  }
}

export interface MemberRules {
  readonly untilDone: boolean;
  /** Only events of this turn; '' = all. */
  readonly turnId: string;
  readonly batch: boolean;
}

/** One session on one stream. */
export class SessionMember extends Member<SessionEvent, SessionHub> {
  readonly #rules: MemberRules;

  constructor(reader: Reader<SessionEvent>, hub: SessionHub, rules: MemberRules) {
    super(reader, hub);
    this.#rules = rules;
  }

  get turnId(): string {
    return this.#rules.turnId;
  }

  override deliver(event: SessionEvent): void {
    const { turnId, untilDone } = this.#rules;
    if (turnId !== '' && event.turnId !== turnId) return;
    super.deliver(event);
    const isEnd = event.kind === EVENT.DONE || event.kind === EVENT.ERROR;
    if (isEnd && (untilDone || turnId !== '')) this.finish();
  }

  override fail(error: unknown): void {
    const isGone = error instanceof Fault && error.reason === 'SESSION_NOT_FOUND';
    if (isGone) this.deleted(error);
    else super.fail(error);
  }

  /** The session was deleted: the stream's end, or in a batch an ERROR of this session only. */
  deleted(fault: Fault): void {
    if (this.left) return;
    if (!this.#rules.batch) {
      this.reader.end(fault);
      return;
    }
    super.deliver(deletedEvent(this.hub, this.follow.position));
    this.finish();
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
