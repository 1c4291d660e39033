import { EVENT_BYTES, type Feed } from './feed.ts';

/** Takes the events of a feed. */
export interface Taker<E> {
  /** Each event once, in order. May stop who delivers. */
  deliver(event: E): void;
  /** Undefined when it takes the next event at once; otherwise resolves when it does. Live events do not wait for it. */
  ready?(): Promise<void> | undefined;
  /** Events delivered by `work`, which waits for nothing, leave together. */
  together?(work: () => void): void;
}

export interface FollowTarget<E> extends Taker<E> {
  /** Reading the feed failed; the follow has stopped. */
  fail(error: unknown): void;
  /** What truth knew was delivered; what comes from now on is live. Called again when a gap had to be read. */
  joined?(): void;
}

/** Delivers events at the pace of their taker, until it is over; what it takes at once leaves together. */
export const deliverInPace = async <E>(events: readonly E[], taker: Taker<E>, isOver: () => boolean): Promise<void> => {
  let next = 0;
  const deliverSome = (): void => {
    for (let event = events[next]; event !== undefined && !isOver(); event = events[next]) {
      next += 1;
      taker.deliver(event);
      if (taker.ready?.() !== undefined) return;
    }
  };
  while (next < events.length && !isOver()) {
    if (taker.together === undefined) deliverSome();
    else taker.together(deliverSome);
    const ready = taker.ready?.();
    // Not awaited without need: what was read together leaves together.
    if (ready !== undefined) await ready;
  }
};

/** Live events kept while truth is read; more than this and truth is read again instead. */
const PENDING_EVENTS = 1_024;
const PENDING_BYTES = 1024 * 1024;
/** Reads of truth for one gap; what truth does not know by then is passed on as it came. */
const FILL_ROUNDS = 3;

/** Live events that wait until truth was read. */
interface Pending<E> {
  events: E[];
  bytes: number;
}

/**
 * Follows a feed in three phases: backfill from truth, cut-over, live. Between `constructor` and `start`
 * live events wait, so a caller that subscribes first and starts later loses nothing. Live events at or below the last
 * position are dropped; an event that does not continue makes the follow read truth again before it passes the event on.
 * What was read, and what waited meanwhile, is delivered at the pace of the target. Holds no timer and, while live, no
 * buffer.
 */
export class Follow<E> {
  readonly #feed: Feed<E>;
  readonly #target: FollowTarget<E>;
  #position = 0;
  #settled = true;
  /** The next event passes wherever it is: what is between it and the position was never asked for. */
  #takesAny = false;
  /** Set while truth is read. */
  #pending: Pending<E> | undefined = { events: [], bytes: 0 };
  /** Events were lost while truth was read: read it once more. */
  #stale = false;
  #stopped = false;

  constructor(feed: Feed<E>, target: FollowTarget<E>) {
    this.#feed = feed;
    this.#target = target;
  }

  /** Place of the last event, or of the start; NaN while a live start has seen none. */
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
   * Begins at whatever comes next, wherever that is. When live events may have been lost before it, truth is read behind
   * `recorded`, which is what truth held at the start.
   */
  startLive(recorded: number): void {
    const waiting = this.#pending?.events ?? [];
    this.#pending = undefined;
    this.#position = recorded;
    this.#settled = false;
    this.#takesAny = true;
    for (const event of waiting) {
      if (this.#stopped) return;
      this.receive(event);
    }
    if (this.#stale) this.lost();
  }

  /** Takes one live event from the bus. */
  receive(event: E): void {
    if (this.#stopped) return;
    if (this.#pending !== undefined) {
      this.#hold(this.#pending, event);
      return;
    }
    if (this.#feed.position(event) <= this.#position && !this.#takesAny) return;
    if (this.#takesAny || this.#feed.continues(event, this.#position, this.#settled)) {
      this.#pass(event);
      return;
    }
    this.#pending = { events: [event], bytes: this.#bytesOf(event) };
    this.#read();
  }

  /** Live events may have been lost: reads truth again. */
  lost(): void {
    if (this.#stopped) return;
    if (this.#pending !== undefined) {
      this.#stale = true;
      return;
    }
    this.#takesAny = false;
    this.#pending = { events: [], bytes: 0 };
    this.#read();
  }

  stop(): void {
    this.#stopped = true;
    this.#pending = undefined;
  }

  get #isBusy(): boolean {
    return this.#target.ready?.() !== undefined;
  }

  #bytesOf(event: E): number {
    return EVENT_BYTES + this.#feed.size(event);
  }

  #hold(pending: Pending<E>, event: E): void {
    if (pending.events.length >= PENDING_EVENTS || pending.bytes >= PENDING_BYTES) {
      pending.events = [];
      pending.bytes = 0;
      this.#stale = true;
    }
    pending.events.push(event);
    pending.bytes += this.#bytesOf(event);
  }

  #pass(event: E): void {
    this.#takesAny = false;
    this.#position = this.#feed.position(event);
    this.#settled = this.#feed.settles(event);
    this.#target.deliver(event);
  }

  #read(): void {
    this.#fill().catch((error: unknown) => {
      if (this.#stopped) return;
      this.stop();
      this.#target.fail(error);
    });
  }

  async #fill(): Promise<void> {
    for (let round = 0; !this.#stopped; ) {
      if (this.#isBusy) await this.#target.ready?.();
      this.#stale = false;
      const slice = await this.#feed.fill(this.#position);
      await this.#deliverRead(slice.items);
      if (this.#stopped) return;
      this.#position = Math.max(this.#position, slice.position);
      this.#settled = slice.settled;
      if (slice.isPartial === true) continue;
      if (await this.#join(round)) return;
      round += 1;
    }
  }

  #deliverRead(events: readonly E[]): Promise<void> {
    const target = this.#target;
    const taker: Taker<E> = {
      deliver: (event) => {
        this.#position = Math.max(this.#position, this.#feed.position(event));
        target.deliver(event);
      },
      ready: () => target.ready?.(),
      together: (work) => (target.together === undefined ? work() : target.together(work)),
    };
    return deliverInPace(events, taker, () => this.#stopped);
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
    const pending = this.#pending ?? { events: [], bytes: 0 };
    while (pending.events.length > 0 && !this.#stopped) {
      if (this.#isBusy) return 'busy';
      const [event] = pending.events;
      if (event === undefined) break;
      const isNew = this.#feed.position(event) > this.#position;
      const isForced = round + 1 >= FILL_ROUNDS && !this.#stale;
      const mayPass = isForced || this.#feed.continues(event, this.#position, this.#settled);
      if (isNew && !mayPass) return 'gap';
      pending.events.shift();
      pending.bytes -= this.#bytesOf(event);
      if (isNew) this.#pass(event);
    }
    if (this.#stale && !this.#stopped) return 'gap';
    this.#pending = undefined;
    if (!this.#stopped) this.#target.joined?.();
    return 'joined';
  }
}
