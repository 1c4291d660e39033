/** One feed of items in a total order that a store can replay and a bus brings live. */
export interface Feed<T> {
  /** Place of an item; rises along the feed. */
  position(item: T): number;
  /** True when nothing can stand between `after` and the item; `settled` = the feed rested at `after`. */
  continues(item: T, after: number, settled: boolean): boolean;
  /** True when the feed may rest after the item. */
  settles(item: T): boolean;
  /** Every item after the place that truth knows now, in order, and how far that reaches. */
  fill(after: number): Promise<FeedSlice<T>>;
}

export interface FeedSlice<T> {
  readonly items: readonly T[];
  readonly position: number;
  readonly settled: boolean;
}

export interface FollowTarget<T> {
  /** Each item once, in order. May call `stop` of its follow. */
  deliver(item: T): void;
  /** Reading the feed failed; the follow has stopped. */
  fail(error: unknown): void;
}

/** Live items kept while truth is read; more than this and truth is read again instead. */
const PENDING_ITEMS = 1_024;
/** Reads of truth for one gap; what truth does not know by then is passed on as it came. */
const FILL_ROUNDS = 3;

/**
 * Follows a feed in three phases (architecture 5): backfill from truth, cut-over, live. Between `constructor` and `start`
 * live items wait, so whoever subscribes first and starts later loses nothing. Live items at or below the last position are
 * dropped; an item that does not continue makes the follow read truth again before it passes the item on.
 * Holds no timer and, while live, no buffer.
 */
export class Follow<T> {
  readonly #feed: Feed<T>;
  readonly #target: FollowTarget<T>;
  #position = 0;
  #settled = true;
  /** Set while truth is read. */
  #pending: T[] | undefined = [];
  /** Items were lost while truth was read: read it once more. */
  #stale = false;
  #stopped = false;

  constructor(feed: Feed<T>, target: FollowTarget<T>) {
    this.#feed = feed;
    this.#target = target;
  }

  get position(): number {
    return this.#position;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Begins behind `after`. `settled`: truth holds nothing after it, so no read is needed. */
  start(after: number, settled: boolean): void {
    this.#position = after;
    this.#settled = settled;
    if (settled && this.#drain(0)) return;
    this.#read();
  }

  /** Begins at whatever comes next, wherever that stands. */
  startLive(): void {
    const waiting = this.#pending ?? [];
    this.#pending = undefined;
    const [first] = waiting;
    this.#position = first === undefined ? Number.NaN : this.#feed.position(first) - 1;
    for (const item of waiting) this.#pass(item);
  }

  /** Takes one live item from the bus. */
  receive(item: T): void {
    if (this.#stopped) return;
    if (this.#pending !== undefined) {
      this.#hold(this.#pending, item);
      return;
    }
    const position = this.#feed.position(item);
    if (position <= this.#position) return;
    if (Number.isNaN(this.#position) || this.#feed.continues(item, this.#position, this.#settled)) {
      this.#pass(item);
      return;
    }
    this.#pending = [item];
    this.#read();
  }

  /** Live items may have been lost: reads truth again. */
  lost(): void {
    if (this.#stopped) return;
    if (this.#pending !== undefined) {
      this.#stale = true;
      return;
    }
    if (Number.isNaN(this.#position)) return;
    this.#pending = [];
    this.#read();
  }

  stop(): void {
    this.#stopped = true;
    this.#pending = undefined;
  }

  #hold(pending: T[], item: T): void {
    if (pending.length >= PENDING_ITEMS) {
      pending.length = 0;
      this.#stale = true;
    }
    pending.push(item);
  }

  #pass(item: T): void {
    this.#position = this.#feed.position(item);
    this.#settled = this.#feed.settles(item);
    this.#target.deliver(item);
  }

  #read(): void {
    this.#fill().catch((error: unknown) => {
      if (this.#stopped) return;
      this.stop();
      this.#target.fail(error);
    });
  }

  async #fill(): Promise<void> {
    for (let round = 0; !this.#stopped; round++) {
      this.#stale = false;
      const slice = await this.#feed.fill(this.#position);
      for (const item of slice.items) {
        if (this.#stopped) return;
        this.#target.deliver(item);
      }
      this.#position = Math.max(this.#position, slice.position);
      this.#settled = slice.settled;
      if (this.#stopped || this.#drain(round)) return;
    }
  }

  /** Passes on what waited; false when a gap calls for another round of reading. */
  #drain(round: number): boolean {
    const pending = this.#pending ?? [];
    while (pending.length > 0 && !this.#stopped) {
      const [item] = pending;
      if (item === undefined) break;
      const isNew = this.#feed.position(item) > this.#position;
      const isForced = round + 1 >= FILL_ROUNDS && !this.#stale;
      const mayPass = isForced || this.#feed.continues(item, this.#position, this.#settled);
      if (isNew && !mayPass) return false;
      pending.shift();
      if (isNew) this.#pass(item);
    }
    if (this.#stale && !this.#stopped) return false;
    this.#pending = undefined;
    return true;
  }
}
