import { Fault } from '../../base/index.ts';

/** Small durable tables every feature shares and that are written by hand: audit, counters, object references, values of the instance. */

export interface AuditRow {
  readonly id: string;
  readonly at: number;
  readonly requestId: string;
  readonly identity: string;
  readonly operation: string;
  readonly target: string;
  readonly namespace: string;
  readonly outcome: string;
  readonly resourceVersion: string;
  /** '' until the chain closed over the row. */
  readonly hash: string;
}

export interface AuditFilter {
  /** Absent = all. */
  readonly namespaces?: readonly string[];
  /** With `namespaces`: also those whose name begins so, which may be gone by now. */
  readonly orBegin?: string;
  readonly identity?: string;
  readonly operation?: string;
  readonly since?: number;
  readonly until?: number;
  readonly before?: string;
  readonly limit: number;
}

export interface AuditWrites {
  append(row: Omit<AuditRow, 'hash'>): Promise<void>;
  list(filter: AuditFilter): Promise<readonly AuditRow[]>;
  /** Rows not yet chained, in commit order, after the newest chained one. */
  unchained(limit: number): Promise<readonly AuditRow[]>;
  /** Hash of the newest chained row, '' at the start. */
  chainHead(): Promise<string>;
  /** Closes the chain over these rows; one of an unknown id is left out. */
  setHashes(hashes: readonly { readonly id: string; readonly hash: string }[]): Promise<void>;
  /**
   * Drops the oldest chained rows from before `beforeMicros`, at most `limit`, up to the first one that stays: what is left has no
   * gap. The newest chained row always stays. Returns how many went.
   */
  trim(beforeMicros: number, limit: number): Promise<number>;
}

export interface CounterSum {
  readonly used: number;
  /** Start of the oldest counted bucket; 0 when none has. */
  readonly oldestStart: number;
}

/** Above every text that begins with it, by bytes of UTF-8. */
export const endOfPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** A window over buckets, micros. Of a counter whose buckets are one size long, `startsAfter` is `endsAfter` less that size. */
export interface CounterSpan {
  /** Buckets that end then or before are out. */
  readonly endsAfter: number;
  /** No bucket that starts then or before ends within: those of former windows are not even read. */
  readonly startsAfter: number;
  /** Buckets that start later are out: they were counted before a clock was set back. */
  readonly startsBy: number;
}

/** Sliding usage windows in buckets. */
export interface CounterWrites {
  /** Locks the head rows in key order. */
  lock(keys: readonly string[]): Promise<void>;
  /** Sum of the buckets within, per key; every key asked for is answered. */
  sum(keys: readonly string[], span: CounterSpan): Promise<ReadonlyMap<string, CounterSum>>;
  /**
   * The largest sum, as `sum` answers it, among the keys that begin with `prefix`; of equal ones that of the first key. Undefined
   * when none of them has counted.
   */
  hottest(prefix: string, span: CounterSpan): Promise<CounterSum | undefined>;
  add(key: string, bucketStart: number, bucketEnd: number, amount: number): Promise<void>;
  trim(beforeMicros: number, limit: number): Promise<number>;
}

/**
 * Added to the time at which an object was condemned, in `unreferenced_at`: 0 = somebody refers to it, below = since when
 * no one does, above = since when its bytes are being removed.
 */
export const CONDEMNED = 2 ** 52;
/** A collector that did not end within this time is gone; longer than an object service is waited for. */
export const CONDEMNED_FOR_MICROS = 900 * 1_000_000;

/** ABORTED CONFLICT: a reference to an object whose bytes are being removed. */
export const objectCondemned = (sha256: string): Fault =>
  new Fault('ABORTED', 'CONFLICT', 'the bytes of this object are being removed: store them again', {
    metadata: { sha256 },
  });

/** Which objects are referred to by whom; an object without references for 24 h is collected. */
export interface ObjectReferences {
  /** Takes the place of a reservation. Fault ABORTED CONFLICT while the bytes are being removed. */
  addReference(row: {
    readonly namespace: string;
    readonly sha256: string;
    readonly sizeBytes: number;
    readonly mediaType: string;
    readonly holder: string;
    readonly at: number;
  }): Promise<void>;
  dropReferences(holder: string, at: number): Promise<void>;
  hasReference(namespace: string, sha256: string): Promise<boolean>;
  /**
   * Keeps the collector away from bytes that are about to be stored: to be committed before them. Without a reference they
   * count as unreferenced since `at`. False while the bytes are being removed: ask again once they are gone.
   */
  reserve(sha256: string, sizeBytes: number, at: number): Promise<boolean>;
  /**
   * Takes objects that no one refers to since before `beforeMicros`, oldest first, whose bytes the caller now removes; also
   * those that another collector took CONDEMNED_FOR_MICROS ago and left. No one can reserve them or refer to them meanwhile.
   */
  condemn(beforeMicros: number, at: number, limit: number): Promise<readonly string[]>;
  /** Ends what `condemn` began at `at`: the bytes are gone. */
  forget(sha256: string, at: number): Promise<void>;
  /** Bytes to which `holder` and the holders below it (`holder/…`) refer, each reference counted. */
  heldBytes(holder: string): Promise<number>;
  /** Counts an object that the store never heard of as unreferenced since `at`; changes nothing for a known one. */
  adopt(sha256: string, sizeBytes: number, at: number): Promise<void>;
}

/** Small values the instance keeps about itself: store epoch, signing key ids, schema facts. */
export interface InstanceValues {
  value(name: string): Promise<string | undefined>;
  setValue(name: string, value: string): Promise<void>;
  /** Removes the value with its row; none of that name is fine. */
  removeValue(name: string): Promise<void>;
}
