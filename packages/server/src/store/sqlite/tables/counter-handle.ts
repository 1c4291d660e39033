import { type CounterSpan, type CounterSum, type CounterWrites, endOfPrefix } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Connection, LIMIT, sql } from '../connection.ts';

/** A bucket whose reservations were all given back counts nothing. */
const SUM = sql<{ readonly used: number | null; readonly oldest: number | null }>(
  `SELECT sum(amount) AS used, min(bucket_start) AS oldest FROM counters
   WHERE key = ? AND bucket_start > ? AND bucket_start <= ? AND bucket_end > ? AND amount <> 0`,
);
/** Leaps from key to key: the buckets of former windows are many times those that count. */
const HOTTEST = sql<{ readonly key: string; readonly used: number | null }>(
  `WITH RECURSIVE keys (key) AS (
     SELECT min(key) FROM counters WHERE key >= ?1 AND key < ?2
     UNION ALL SELECT (SELECT min(key) FROM counters WHERE key > keys.key AND key < ?2) FROM keys WHERE keys.key IS NOT NULL)
   SELECT key, (SELECT sum(amount) FROM counters c WHERE c.key = keys.key
     AND bucket_start > ?3 AND bucket_start <= ?4 AND bucket_end > ?5) AS used
   FROM keys WHERE key IS NOT NULL ORDER BY used DESC, key LIMIT 1`,
);
const ADD = sql(
  `INSERT INTO counters (key, bucket_start, bucket_end, amount) VALUES (?,?,?,?)
   ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`,
);
const TRIM = sql(
  `DELETE FROM counters WHERE (key, bucket_start, bucket_end) IN (SELECT key, bucket_start, bucket_end
   FROM counters WHERE bucket_end <= ? ORDER BY bucket_end ${LIMIT})`,
);

/** Every key asked for is answered; without buckets with zeros. */
const sumCounters = (connection: Connection, keys: readonly string[], span: CounterSpan) => {
  const sum = connection.of(SUM);
  const sums = new Map<string, CounterSum>();
  for (const key of keys) {
    const row = sum.get(key, span.startsAfter, span.startsBy, span.endsAfter);
    sums.set(key, { used: row?.used ?? 0, oldestStart: row?.oldest ?? 0 });
  }
  return sums;
};

/** Undefined when no key of that beginning has counted. */
const hottestCounter = (connection: Connection, prefix: string, span: CounterSpan): CounterSum | undefined => {
  const { startsAfter, startsBy, endsAfter } = span;
  const row = connection.of(HOTTEST).get(prefix, endOfPrefix(prefix), startsAfter, startsBy, endsAfter);
  return row !== undefined && (row.used ?? 0) > 0 ? sumCounters(connection, [row.key], span).get(row.key) : undefined;
};

/** Reads of the counters. */
export class CounterReadHandle implements Pick<CounterWrites, 'sum' | 'hottest'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async sum(keys: readonly string[], span: CounterSpan) {
    this.#access.enter();
    return this.#access.leave(sumCounters(this.#access.connection, keys, span));
  }

  async hottest(prefix: string, span: CounterSpan) {
    this.#access.enter();
    return this.#access.leave(hottestCounter(this.#access.connection, prefix, span));
  }
}

/** `CounterWrites` inside one write transaction: usage per bucket of a sliding window. */
export class CounterHandle extends CounterReadHandle implements CounterWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  /** The one writer is the lock. */
  async lock() {
    this.#access.enter();
  }

  async add(...[key, start, end, amount]: Parameters<CounterWrites['add']>) {
    this.#access.change();
    this.#access.connection.of(ADD).run(key, start, end, amount);
  }

  async trim(beforeMicros: number, limit: number) {
    this.#access.change();
    return this.#access.connection.of(TRIM).run(beforeMicros, limit);
  }
}
