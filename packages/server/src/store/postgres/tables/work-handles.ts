import {
  type CounterSpan,
  type CounterSum,
  type CounterWrites,
  endOfPrefix,
  type InstanceValues,
} from '../../contracts/index.ts';
import type { WriteAccess } from '../access.ts';
import { type Queries, statement } from '../connection/index.ts';
import { rowId } from '../reads/index.ts';

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
export const sumCounters = async (sql: Queries, keys: readonly string[], span: CounterSpan) => {
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
export const hottestCounter = async (
  sql: Queries,
  prefix: string,
  span: CounterSpan,
): Promise<CounterSum | undefined> => {
  const { startsAfter, startsBy, endsAfter } = span;
  const row = await sql.first(HOTTEST, [prefix, endOfPrefix(prefix), startsAfter, startsBy, endsAfter]);
  return row === undefined ? undefined : { used: row.used, oldestStart: row.oldest };
};

/** `CounterWrites`: usage per bucket of a sliding window. */
export class CounterHandle implements CounterWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async lock(keys: readonly string[]) {
    this.#access.sql.later(LOCK, [[...new Set(keys)].sort()]);
  }

  async sum(keys: readonly string[], span: CounterSpan) {
    return sumCounters(this.#access.sql, keys, span);
  }

  async hottest(prefix: string, span: CounterSpan) {
    return hottestCounter(this.#access.sql, prefix, span);
  }

  async add(...[key, start, end, amount]: Parameters<CounterWrites['add']>) {
    this.#access.sql.later(ADD, [key, start, end, amount]);
  }

  async trim(beforeMicros: number, limit: number) {
    return this.#access.sql.run(TRIM_COUNTERS, [beforeMicros, limit]);
  }
}

const VALUE = statement<{ value: string }>('SELECT value FROM instance WHERE name = $1');
const LOCK_NAME = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))');
const VALUE_LOCKED = statement<{ value: string }>('SELECT value FROM instance WHERE name = $1 FOR NO KEY UPDATE');
const SET = statement(
  'INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);
/** Of a value that was read before: only when it is still what was read. */
const CHANGE = statement('UPDATE instance SET value = $2 WHERE name = $1 AND value = $3');
const REMOVE = statement('DELETE FROM instance WHERE name = $1');
/** Of a value that was read before: only when it is still what was read. */
const REMOVE_SEEN = statement('DELETE FROM instance WHERE name = $1 AND value = $2');
const ADD_VALUE = statement('INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING');

/** A fact that the instance keeps about itself. */
export const instanceValue = async (sql: Queries, name: string): Promise<string | undefined> =>
  (await sql.first(VALUE, [name]))?.value;

/** `InstanceValues`: facts the instance keeps about itself. */
export class InstanceHandle implements InstanceValues {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async value(name: string) {
    const { sql, reads } = this.#access;
    const id = rowId('instance', [name]);
    let found: string | undefined;
    if (reads.isHot(id)) {
      sql.later(LOCK_NAME, [id]);
      found = (await sql.first(VALUE_LOCKED, [name]))?.value;
    } else found = await instanceValue(sql, name);
    reads.sawRow({ table: 'instance', key: [name], seen: found });
    return found;
  }

  async setValue(name: string, value: string) {
    const { sql, reads } = this.#access;
    const id = rowId('instance', [name]);
    const read = reads.readOf(id);
    if (read === undefined) sql.later(SET, [name, value]);
    else {
      const written =
        read.seen === undefined
          ? await sql.run(ADD_VALUE, [name, value])
          : await sql.run(CHANGE, [name, value, String(read.seen)]);
      if (written === 0) throw reads.stale(id);
    }
    reads.wrote(id);
  }

  async removeValue(name: string) {
    const { sql, reads } = this.#access;
    const id = rowId('instance', [name]);
    const read = reads.readOf(id);
    // A value that was read as missing stays among the reads, which are checked again before the commit.
    if (read !== undefined && read.seen === undefined) return;
    const removed =
      read === undefined ? await sql.run(REMOVE, [name]) : await sql.run(REMOVE_SEEN, [name, String(read.seen)]);
    if (removed === 1) reads.wrote(id);
    else if (read !== undefined) throw reads.stale(id);
    // Nothing to remove was seen: that is a read, which somebody else's value makes stale.
    else reads.sawRow({ table: 'instance', key: [name], seen: undefined });
  }
}
