import { type CounterSpan, type CounterSum, type CounterWrites, endOfPrefix } from '../../contracts/index.ts';
import type { Access, WriteAccess } from '../access.ts';
import { type Queries, statement } from '../connection/index.ts';

/** One lock per key, taken in the order given. */
const LOCK = statement('SELECT pg_advisory_xact_lock(hashtextextended(key, 2)) FROM unnest($1::text[]) AS key');
/** A bucket whose reservations were all given back counts nothing. */
const SUM = statement<{ key: string; used: number; oldest: number }>(
  `SELECT key, sum(amount)::bigint AS used, min(bucket_start) AS oldest FROM counters
   WHERE key = ANY($1::text[]) AND bucket_start > $2 AND bucket_start <= $3 AND bucket_end > $4 AND amount <> 0 GROUP BY key`,
);
/** Leaps from key to key: the buckets of former windows are many times those that count. */
const HOTTEST = statement<{ used: number; oldest: number }>(
  `WITH RECURSIVE keys (key) AS (
     (SELECT key FROM counters WHERE key >= $1 AND key < $2 ORDER BY key LIMIT 1)
     UNION ALL SELECT next.key FROM keys CROSS JOIN LATERAL
       (SELECT c.key FROM counters c WHERE c.key > keys.key AND c.key < $2 ORDER BY c.key LIMIT 1) next)
   SELECT best.used, best.oldest FROM keys CROSS JOIN LATERAL
     (SELECT sum(c.amount)::bigint AS used, min(c.bucket_start) AS oldest FROM counters c
       WHERE c.key = keys.key AND c.bucket_start > $3 AND c.bucket_start <= $4 AND c.bucket_end > $5
         AND c.amount <> 0) best
   WHERE best.used > 0 ORDER BY best.used DESC, keys.key LIMIT 1`,
);
const ADD = statement(
  `INSERT INTO counters (key, bucket_start, bucket_end, amount) VALUES ($1,$2,$3,$4)
   ON CONFLICT (key, bucket_start, bucket_end) DO UPDATE SET amount = counters.amount + excluded.amount`,
);
const TRIM_COUNTERS = statement(
  `DELETE FROM counters WHERE (key, bucket_start, bucket_end) IN (SELECT key, bucket_start, bucket_end
   FROM counters WHERE bucket_end <= $1 ORDER BY bucket_end LIMIT $2)`,
);

/** Every key asked for is answered; without buckets with zeros. */
const sumCounters = async (sql: Queries, keys: readonly string[], span: CounterSpan) => {
  const { startsAfter, startsBy, endsAfter } = span;
  const found = new Map((await sql.rows(SUM, [keys, startsAfter, startsBy, endsAfter])).map((row) => [row.key, row]));
  return new Map(
    keys.map((key) => {
      const row = found.get(key);
      return [key, { used: row?.used ?? 0, oldestStart: row?.oldest ?? 0 }] as const;
    }),
  );
};

/** Undefined when no key of that beginning has counted. */
const hottestCounter = async (sql: Queries, prefix: string, span: CounterSpan): Promise<CounterSum | undefined> => {
  const { startsAfter, startsBy, endsAfter } = span;
  const row = await sql.first(HOTTEST, [prefix, endOfPrefix(prefix), startsAfter, startsBy, endsAfter]);
  return row === undefined ? undefined : { used: row.used, oldestStart: row.oldest };
};

/** Reads of the counters. */
export class CounterReadHandle implements Pick<CounterWrites, 'sum' | 'hottest'> {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async sum(keys: readonly string[], span: CounterSpan) {
    return sumCounters(this.#access.sql, keys, span);
  }

  async hottest(prefix: string, span: CounterSpan) {
    return hottestCounter(this.#access.sql, prefix, span);
  }
}

/** `CounterWrites` inside one write transaction: usage per bucket of a sliding window. */
export class CounterHandle extends CounterReadHandle implements CounterWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async lock(keys: readonly string[]) {
    this.#access.sql.later(LOCK, [[...new Set(keys)].sort()]);
  }

  async add(...[key, start, end, amount]: Parameters<CounterWrites['add']>) {
    this.#access.sql.later(ADD, [key, start, end, amount]);
  }

  async trim(beforeMicros: number, limit: number) {
    return this.#access.sql.run(TRIM_COUNTERS, [beforeMicros, limit]);
  }
}
