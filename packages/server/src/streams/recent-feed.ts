import { CursorLine } from './cursor.ts';
import type { Feed, FeedSlice } from './feed.ts';

/** An event and its number since the feed began. */
export interface Numbered<E> {
  readonly sequence: number;
  readonly event: E;
}

interface RecentFeedLimits<E> {
  /** How many events are kept. */
  readonly events: number;
  /** How large all that are kept may be; the newest one is kept however large it is. */
  readonly bytes: number;
  readonly sizeOf: (event: E) => number;
}

/**
 * A feed without a store: its newest events are kept in memory and numbered from its start, so that a client which comes back
 * soon misses nothing. A cursor of another start, or of an event that is no longer kept, is not a place in it.
 */
export class RecentFeed<E> implements Feed<Numbered<E>> {
  readonly #limits: RecentFeedLimits<E>;
  readonly #kept: Numbered<E>[] = [];
  #line = new CursorLine('');
  #newest = 0;
  #bytes = 0;

  constructor(limits: RecentFeedLimits<E>) {
    this.#limits = limits;
  }

  get newest(): number {
    return this.#newest;
  }

  /** The place before everything that is kept. */
  get start(): number {
    return (this.#kept[0]?.sequence ?? this.#newest + 1) - 1;
  }

  /** Begins again under a name that no other start has. */
  restart(name: string): void {
    this.#line = new CursorLine(`${name}.`);
    this.#kept.length = 0;
    this.#newest = 0;
    this.#bytes = 0;
  }

  add(event: E): Numbered<E> {
    this.#newest += 1;
    const numbered = { sequence: this.#newest, event };
    this.#kept.push(numbered);
    const { events, bytes, sizeOf } = this.#limits;
    this.#bytes += sizeOf(event);
    while (this.#kept.length > 1 && (this.#kept.length > events || this.#bytes > bytes)) {
      const oldest = this.#kept.shift();
      if (oldest !== undefined) this.#bytes -= sizeOf(oldest.event);
    }
    return numbered;
  }

  /** The place of a cursor when every event after it is kept. */
  placeOf(cursor: string): number | undefined {
    const place = this.#line.read(cursor);
    return place !== undefined && place >= this.start && place <= this.#newest ? place : undefined;
  }

  position({ sequence }: Numbered<E>): number {
    return sequence;
  }

  cursor(sequence: number): string {
    return this.#line.at(sequence);
  }

  /** Nothing waits for a slow reader: what is kept is kept once for all of them. */
  size(): number {
    return 0;
  }

  continues({ sequence }: Numbered<E>, after: number): boolean {
    return sequence === after + 1;
  }

  settles(): boolean {
    return true;
  }

  fill(after: number): Promise<FeedSlice<Numbered<E>>> {
    const items = this.#kept.filter(({ sequence }) => sequence > after);
    return Promise.resolve({ items, position: this.#newest, settled: true });
  }
}
