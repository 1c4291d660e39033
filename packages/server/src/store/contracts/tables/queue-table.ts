/**
 * The form of every queue, outbox and timer. An item is claimed by `take`: its token is new at each taking and names that claim, owner
 * and fence in one, so whatever a former owner writes matches no row. The lease is the due time itself: taking moves it behind the lease,
 * so an item whose owner is gone becomes due again without anyone cleaning up, and counts one attempt more at the next taking.
 * `renew` prolongs a claim, `ack` completes the item, `retry` releases it. No state but the token says that an item is taken.
 */
import type { TableFacts } from './description.ts';

const COLUMNS = {
  kind: 'text',
  key: 'text',
  dueAt: 'integer',
  attempts: 'integer',
  token: 'text',
  payload: 'text',
} as const;

/** Work that is due at a time and is taken by one worker at once. */
export interface QueueTable extends TableFacts {
  readonly form: 'queue';
  readonly columns: typeof COLUMNS;
}

/** Describes a queue: its columns are always the same. An empty token = not taken. */
export const queueTable = (name: string): QueueTable => ({
  form: 'queue',
  name,
  columns: COLUMNS,
  key: ['kind', 'key'],
});

/** One effect or timer to run at or after `dueAt`; unique per (kind, key): a second put with the same pair changes nothing unless `replace`. */
export interface QueueItem {
  readonly kind: string;
  readonly key: string;
  /** Store-clock micros. */
  readonly dueAt: number;
  /** How often the item was taken; `take` answers it with that taking counted. */
  readonly attempts: number;
  readonly payload: string;
}

/** An item with the claim on it. */
export type TakenItem = QueueItem & { readonly token: string };

/** An item that an owner has taken and neither finished nor given back. */
export interface HeldItem {
  readonly kind: string;
  readonly key: string;
  /** When another worker may take it. */
  readonly dueAt: number;
  /** How often the item was taken, this time counted. */
  readonly attempts: number;
  readonly payload: string;
  /** When it was taken, by the clock that `take` was given. */
  readonly since: number;
}

export interface QueueWrites {
  /** A replaced item is free: who took the former one can neither renew, ack nor retry it. */
  put(item: QueueItem, options?: { readonly replace?: boolean }): Promise<void>;
  /** Takes due items of these kinds, oldest first, and hides them until now + leaseMicros. Those with an `owner` are found by `held`. */
  take(
    kinds: readonly string[],
    now: number,
    leaseMicros: number,
    limit: number,
    owner?: string,
  ): Promise<readonly TakenItem[]>;
  /**
   * Items of these kinds that the owner holds, whose lease ends after `now` and at `until` at the latest; the lease that ends first comes
   * first. It reads every item of these kinds that is due in that time, so `until` must be near.
   */
  held(
    owner: string,
    window: { readonly kinds: readonly string[]; readonly now: number; readonly until: number },
    limit: number,
  ): Promise<readonly HeldItem[]>;
  /** Hides a taken item until `until`; false when the claim was lost meanwhile. */
  renew(kind: string, key: string, token: string, until: number): Promise<boolean>;
  /** Removes a taken item; false when the claim was lost meanwhile. */
  ack(kind: string, key: string, token: string): Promise<boolean>;
  /** Gives a taken item back, due at `dueAt`; false when the claim was lost meanwhile. */
  retry(kind: string, key: string, token: string, dueAt: number, payload: string): Promise<boolean>;
  /** Removes an item, taken or not. */
  cancel(kind: string, key: string): Promise<void>;
  /** Earliest dueAt over these kinds, undefined when none. */
  nextDue(kinds: readonly string[]): Promise<number | undefined>;
  /** Items of these kinds that are due and wait, and the earliest dueAt among them; 0 when none. For metrics. */
  backlog(kinds: readonly string[], now: number): Promise<{ readonly count: number; readonly oldestDueAt: number }>;
}
