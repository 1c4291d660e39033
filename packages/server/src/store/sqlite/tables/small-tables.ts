import { type CounterSpan, type CounterSum, endOfPrefix } from '../../contracts/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

/** A bucket whose reservations were all given back counts nothing. */
const SUM = `SELECT sum(amount) AS used, min(bucket_start) AS oldest FROM counters
  WHERE key = ? AND bucket_start > ? AND bucket_start <= ? AND bucket_end > ? AND amount <> 0`;
/** Leaps from key to key: the buckets of former windows are many times those that count. */
const HOTTEST = `WITH RECURSIVE keys (key) AS (
    SELECT min(key) FROM counters WHERE key >= ?1 AND key < ?2
    UNION ALL SELECT (SELECT min(key) FROM counters WHERE key > keys.key AND key < ?2) FROM keys WHERE keys.key IS NOT NULL)
  SELECT key, (SELECT sum(amount) FROM counters c WHERE c.key = keys.key
    AND bucket_start > ?3 AND bucket_start <= ?4 AND bucket_end > ?5) AS used
  FROM keys WHERE key IS NOT NULL ORDER BY used DESC, key LIMIT 1`;
const ADD = `INSERT INTO counters (key, bucket_start, bucket_end, amount) VALUES (?,?,?,?)
  ON CONFLICT DO UPDATE SET amount = amount + excluded.amount`;
const TRIM_COUNTERS = `DELETE FROM counters WHERE (key, bucket_start, bucket_end) IN (SELECT key, bucket_start, bucket_end
  FROM counters WHERE bucket_end <= ? ORDER BY bucket_end ${LIMIT})`;

/** Usage per bucket of a sliding window. */
export class CounterTable {
  readonly #sum: Statement<{ used: number | null; oldest: number | null }>;
  readonly #hottest: Statement<{ key: string; used: number | null }>;
  readonly #add: Statement;
  readonly #trim: Statement;

  constructor(connection: Connection) {
    this.#sum = connection.statement(SUM);
    this.#hottest = connection.statement(HOTTEST);
    this.#add = connection.statement(ADD);
    this.#trim = connection.statement(TRIM_COUNTERS);
  }

  /** Every key asked for is answered; without buckets with zeros. */
  sum(keys: readonly string[], span: CounterSpan) {
    const sums = new Map<string, CounterSum>();
    for (const key of keys) {
      const row = this.#sum.get(key, span.startsAfter, span.startsBy, span.endsAfter);
      sums.set(key, { used: row?.used ?? 0, oldestStart: row?.oldest ?? 0 });
    }
    return sums;
  }

  hottest(prefix: string, span: CounterSpan): CounterSum | undefined {
    const { startsAfter, startsBy, endsAfter } = span;
    const row = this.#hottest.get(prefix, endOfPrefix(prefix), startsAfter, startsBy, endsAfter);
    return row !== undefined && (row.used ?? 0) > 0 ? this.sum([row.key], span).get(row.key) : undefined;
  }

  add(key: string, bucket: { readonly start: number; readonly end: number }, amount: number): void {
    this.#add.run(key, bucket.start, bucket.end, amount);
  }

  trim(beforeMicros: number, limit: number): number {
    return this.#trim.run(beforeMicros, limit);
  }
}

const VALUE = 'SELECT value FROM instance WHERE name = ?';
const SET_VALUE = 'INSERT INTO instance (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value';
const REMOVE_VALUE = 'DELETE FROM instance WHERE name = ?';

/** Facts the instance keeps about itself. */
export class InstanceTable {
  readonly #value: Statement<{ value: string }>;
  readonly #setValue: Statement;
  readonly #removeValue: Statement;

  constructor(connection: Connection) {
    this.#value = connection.statement(VALUE);
    this.#setValue = connection.statement(SET_VALUE);
    this.#removeValue = connection.statement(REMOVE_VALUE);
  }

  value(name: string): string | undefined {
    return this.#value.get(name)?.value;
  }

  setValue(name: string, value: string): void {
    this.#setValue.run(name, value);
  }

  removeValue(name: string): void {
    this.#removeValue.run(name);
  }
}
