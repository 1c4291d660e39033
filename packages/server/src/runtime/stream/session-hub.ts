import { EVENT, type SessionEvent } from '../contract.ts';
import type { CursorCodec } from './cursor.ts';
import type { StreamMember } from './event-stream.ts';
import type { SessionFeed } from './session-feed.ts';

/** What hubs share with the service that owns them. */
export interface HubKeeper {
  readonly cursors: CursorCodec;
  now(): number;
  /** A turn began or ended to run in the session: the store is checked while one runs. */
  runningChanged(hub: SessionHub): void;
  /** The last member left. */
  emptied(hub: SessionHub): void;
}

/** One session with followers in this process: one bus subscription, any number of members; no timer of its own. */
export class SessionHub {
  readonly feed: SessionFeed;
  readonly #keeper: HubKeeper;
  #members: readonly StreamMember[] = [];
  #prefix = '';
  #prefixEpoch = -1;
  /** Set by the keeper: ends the subscriptions on the bus. */
  unsubscribe: (() => void) | undefined;
  running = false;
  /** Newest sequence that every follower has seen, by the bus or by a check of the store. */
  seen = 0;
  /** The active turn and its journal entries at the last check of the store, '' for none. */
  recorded = '';
  /** An event came since the last check of the store. */
  isFresh = false;

  constructor(feed: SessionFeed, keeper: HubKeeper) {
    this.feed = feed;
    this.#keeper = keeper;
  }

  get sessionId(): string {
    return this.feed.sessionId;
  }

  get members(): readonly StreamMember[] {
    return this.#members;
  }

  now(): number {
    return this.#keeper.now();
  }

  cursor(sequence: number): string {
    if (sequence === 0) return '';
    if (this.#prefixEpoch !== this.feed.epoch) {
      this.#prefixEpoch = this.feed.epoch;
      this.#prefix = this.#keeper.cursors.prefix(this.sessionId, this.feed.epoch);
    }
    return this.#prefix + sequence.toString(36);
  }

  add(member: StreamMember): void {
    // `concat` makes no room for more: most sessions have one follower.
    this.#members = this.#members.concat(member);
  }

  remove(member: StreamMember): void {
    this.#members = this.#members.filter((other) => other !== member);
    if (this.#members.length === 0) this.#keeper.emptied(this);
  }

  /** Takes one event of the session from the bus. */
  receive(event: SessionEvent): void {
    const members = this.#members;
    if (event.sequence === 0) {
      this.#receiveAside(event);
      return;
    }
    if (event.sequence > this.seen) this.seen = event.sequence;
    this.isFresh = true;
    this.setRunning(event.kind !== EVENT.DONE && event.kind !== EVENT.ERROR);
    for (const member of members) member.follow.receive(event);
  }

  setRunning(running: boolean): void {
    if (running === this.running) return;
    this.running = running;
    this.#keeper.runningChanged(this);
  }

  /** Events may have been lost. */
  lost(): void {
    for (const member of this.#members) member.follow.lost();
  }

  /** The end of a turn that never started concerns only streams of that turn. */
  #receiveAside(event: SessionEvent): void {
    for (const member of this.#members) if (member.turnId === event.turnId) member.deliver(event);
  }
}
