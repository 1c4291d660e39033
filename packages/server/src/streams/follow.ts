/** One feed of items in a total order that a store can replay and a bus brings live. */
export interface Feed<T> {
  /** Place of an item; rises along the feed. */
  position(item: T): number;
  /** True when nothing can be between `after` and the item; `settled` = the feed rested at `after`. */
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
  /** Undefined when it takes the next item at once; otherwise resolves when it does. Live items do not wait for it. */
  ready?(): Promise<void> | undefined;
  /** Reading the feed failed; the follow has stopped. */
  fail(error: unknown): void;
}

/** Live items kept while truth is read; more than this and truth is read again instead. */
const PENDING_ITEMS = 1_024;
/** Reads of truth for one gap; what truth does not know by then is passed on as it came. */
const FILL_ROUNDS = 3;

/**
 * Follows a feed in three phases: backfill from truth, cut-over, live. Between `constructor` and `start`
 * live items wait, so a caller that subscribes first and starts later loses nothing. Live items at or below the last
 * position are dropped; an item that does not continue makes the follow read truth again before it passes the item on.
 * What was read, and what waited meanwhile, is delivered at the pace of the target. Holds no timer and, while live, no
 * buffer.
 */
export class Follow<T> {
  readonly #feed: Feed<T>;
  readonly #target: FollowTarget<T>;
  #position = 0;
  #settled = true;
  /** The next item passes wherever it is: what is between it and the position was never asked for. */
  #takesAny = false;
  /** Set while truth is read. */
  #pending: T[] | undefined = [];
  /** Items were lost while truth was read: read it once more. */
  #stale = false;
  #stopped = false;

  constructor(feed: Feed<T>, target: FollowTarget<T>) {
    this.#feed = feed;
    this.#target = target;
  }

  /** Place of the last item, or of the start; NaN while a live start has seen no item. */
  get position(): number {
    return this.#takesAny ? Number.NaN : this.#position;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Begins behind `after`. `settled`: truth holds nothing after it, so no read is needed. */
  start(after: number, settled: boolean): void {
    this.#position = after;
    this.#settled = settled;
    if (settled && this.#drain(0) === 'joined') return;
    this.#read();
  }

  /**
   * Begins at whatever comes next, wherever that is. When live items may have been lost before it, truth is read behind
   * `recorded`, which is what truth held at the start.
   */
  startLive(recorded: number): void {
    const waiting = this.#pending ?? [];
    this.#pending = undefined;
    this.#position = recorded;
    this.#settled = false;
    this.#takesAny = true;
    for (const item of waiting) {
      if (this.#stopped) return;
      this.receive(item);
    }
    if (this.#stale) this.lost();
  }

  /** Takes one live item from the bus. */
  receive(item: T): void {
    if (this.#stopped) return;
    if (this.#pending !== undefined) {
      this.#hold(this.#pending, item);
      return;
    }
    if (this.#feed.position(item) <= this.#position && !this.#takesAny) return;
    if (this.#takesAny || this.#feed.continues(item, this.#position, this.#settled)) {
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
    this.#takesAny = false;
    this.#pending = [];
    this.#read();
  }

  stop(): void {
    this.#stopped = true;
    this.#pending = undefined;
  }

  get #isBusy(): boolean {
    return this.#target.ready?.() !== undefined;
  }

  #hold(pending: T[], item: T): void {
    if (pending.length >= PENDING_ITEMS) {
      pending.length = 0;
      this.#stale = true;
    }
    pending.push(item);
  }

  #pass(item: T): void {
    this.#takesAny = false;
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
      if (this.#isBusy) await this.#target.ready?.();
      this.#stale = false;
      const slice = await this.#feed.fill(this.#position);
      for (const item of slice.items) {
        if (this.#stopped) return;
        this.#position = Math.max(this.#position, this.#feed.position(item));
        this.#target.deliver(item);
        // Not awaited without need: what was read together leaves together.
        if (this.#isBusy) await this.#target.ready?.();
      }
      this.#position = Math.max(this.#position, slice.position);
      this.#settled = slice.settled;
      if (await this.#join(round)) return;
    }
  }

  /** Passes on what waited, at the pace of the target; false when truth has to be read again. */
  async #join(round: number): Promise<boolean> {
    while (!this.#stopped) {
      const outcome = this.#drain(round);
      if (outcome !== 'busy') return outcome === 'joined';
      await this.#target.ready?.();
    }
    return true;
  }

  /** Passes on what waited. `gap`: truth has to be read; `busy`: the target does not take more now. */
  #drain(round: number): 'joined' | 'gap' | 'busy' {
    const pending = this.#pending ?? [];
    while (pending.length > 0 && !this.#stopped) {
      if (this.#isBusy) return 'busy';
      const [item] = pending;
      if (item === undefined) break;
      const isNew = this.#feed.position(item) > this.#position;
      const isForced = round + 1 >= FILL_ROUNDS && !this.#stale;
      const mayPass = isForced || this.#feed.continues(item, this.#position, this.#settled);
      if (isNew && !mayPass) return 'gap';
      pending.shift();
      if (isNew) this.#pass(item);
    }
    if (this.#stale && !this.#stopped) return 'gap';
    this.#pending = undefined;
    return 'joined';
  }
}
