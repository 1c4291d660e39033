import { EVENT_BYTES, type Feed } from './feed.ts';

/** Bounds of what waits for one slow reader (`limits.streamBufferEvents`, `limits.streamBufferBytes`). */
export interface ReaderLimits {
  readonly events: number;
  readonly bytes: number;
}

/** Bounds of a reader that follows several feeds: each adds some room. */
export const limitsFor = (limits: ReaderLimits, feeds: number): ReaderLimits => ({
  events: limits.events + 2 * (feeds - 1),
  bytes: limits.bytes + 2 * EVENT_BYTES * (feeds - 1),
});

/** An event that waits, and the feed that names its cursor. */
export interface WaitingEvent<E> {
  event: E;
  readonly feed: Feed<E>;
  bytes: number;
  next: WaitingEvent<E> | undefined;
}

/**
 * Events that wait for a slow reader, in order. Those of one feed that its owner can join become one, whatever other feeds do
 * between them. `push` answers false once a bound is passed, and then nothing more may be pushed. A list of links: a reader
 * that is always a little behind never empties it, and what it took must not stay in memory.
 */
export class WaitingEvents<E> {
  readonly #limits: ReaderLimits;
  #first: WaitingEvent<E> | undefined;
  #last: WaitingEvent<E> | undefined;
  /** The newest waiting event of each feed that joins events. */
  readonly #newest = new Map<Feed<E>, WaitingEvent<E>>();
  #size = 0;
  #bytes = 0;

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  push(event: E, feed: Feed<E>): boolean {
    if (!this.#joins(event, feed)) this.#append(event, feed);
    return this.#size <= this.#limits.events && this.#bytes <= this.#limits.bytes;
  }

  shift(): WaitingEvent<E> | undefined {
    const waiting = this.#first;
    if (waiting === undefined) return undefined;
    this.#first = waiting.next;
    if (this.#first === undefined) this.#last = undefined;
    this.#size -= 1;
    this.#bytes -= waiting.bytes;
    if (this.#newest.get(waiting.feed) === waiting) this.#newest.delete(waiting.feed);
    return waiting;
  }

  #append(event: E, feed: Feed<E>): void {
    const waiting = { event, feed, bytes: EVENT_BYTES + feed.size(event), next: undefined };
    if (this.#last === undefined) this.#first = waiting;
    else this.#last.next = waiting;
    this.#last = waiting;
    this.#size += 1;
    this.#bytes += waiting.bytes;
    if (feed.join !== undefined) this.#newest.set(feed, waiting);
  }

  /** True when the event became part of one that waits. */
  #joins(event: E, feed: Feed<E>): boolean {
    const last = feed.join === undefined ? undefined : this.#newest.get(feed);
    const joined = last === undefined ? undefined : feed.join?.(last.event, event);
    if (last === undefined || joined === undefined) return false;
    const bytes = EVENT_BYTES + feed.size(joined);
    this.#bytes += bytes - last.bytes;
    last.event = joined;
    last.bytes = bytes;
    return true;
  }
}
