/**
 * One stream's events, in a total order that a store can replay and a bus brings live. What an event is, and how a store tells it,
 * is known to its owner alone; everything else of a stream asks here.
 */
export interface Feed<E> {
  /** Place of an event; rises along the feed. */
  position(event: E): number;
  /** Text of a place for clients, by which a stream resumes behind it. */
  cursor(position: number): string;
  /** Bytes that the content of an event takes in memory, roughly; frame, names and ids are counted by who holds it. */
  size(event: E): number;
  /** Both as one event, where a slow reader may get them so; `last` waits already and nothing of the feed is between them. */
  join?(last: E, next: E): E | undefined;
  /** True when nothing can be between `after` and the event; `settled` = the feed rested at `after`. */
  continues(event: E, after: number, settled: boolean): boolean;
  /** True when the feed may rest after the event. */
  settles(event: E): boolean;
  /** Events after the place that truth knows now, in order, and how far they reach. */
  fill(after: number): Promise<FeedSlice<E>>;
}

export interface FeedSlice<E> {
  readonly items: readonly E[];
  readonly position: number;
  readonly settled: boolean;
  /** True when this is as much as is read at once: truth may know more already. */
  readonly isPartial?: boolean;
}

/** Bytes of an event in addition to its content: names, ids, frame. */
export const EVENT_BYTES = 256;
