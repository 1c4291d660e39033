import { Hub } from '../../streams/index.ts';
import { EVENT, type SessionEvent } from '../contract.ts';
import type { SessionFeed } from './session-feed.ts';
import type { SessionMember } from './session-member.ts';

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
