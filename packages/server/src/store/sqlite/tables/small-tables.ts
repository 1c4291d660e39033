import { Fault } from '../../../base/index.ts';
import {
  type ArtifactRow,
  type CounterSpan,
  type CounterSum,
  endOfPrefix,
  type IdempotencyRecord,
} from '../../contracts/index.ts';
import { type ArtifactSqlRow, LAST_ID, toArtifact } from '../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

const ACQUIRE = `INSERT INTO leases (name, owner, expires_at) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
  SET owner = excluded.owner, expires_at = excluded.expires_at WHERE owner = ?2 OR expires_at <= ?4`;
const RELEASE = 'DELETE FROM leases WHERE name = ? AND owner = ?';

/** Named leases of background work. */
export class LeaseTable {
  readonly #acquire: Statement;
  readonly #release: Statement;

  constructor(connection: Connection) {
    this.#acquire = connection.statement(ACQUIRE);
    this.#release = connection.statement(RELEASE);
  }

  acquire(name: string, owner: string, times: { readonly now: number; readonly ttlMicros: number }): boolean {
    return this.#acquire.run(name, owner, times.now + times.ttlMicros, times.now) === 1;
  }

  release(name: string, owner: string): void {
    this.#release.run(name, owner);
  }
}

const FIND = 'SELECT scope, request_hash, answer, expires_at FROM idempotency WHERE scope = ? AND expires_at > ?';
const INSERT = `INSERT INTO idempotency (scope, request_hash, answer, expires_at) VALUES (?1, ?2, ?3, ?4)
  ON CONFLICT (scope) DO UPDATE SET request_hash = ?2, answer = ?3, expires_at = ?4 WHERE expires_at <= ?5`;
const TRIM = `DELETE FROM idempotency WHERE scope IN
  (SELECT scope FROM idempotency WHERE expires_at <= ? ORDER BY expires_at ${LIMIT})`;

interface IdempotencySqlRow {
  readonly scope: string;
  readonly request_hash: string;
  readonly answer: string;
  readonly expires_at: number;
}

/** Answers of calls that carried an idempotency key. */
export class IdempotencyTable {
  readonly #find: Statement<IdempotencySqlRow>;
  readonly #insert: Statement;
  readonly #trim: Statement;

  constructor(connection: Connection) {
    this.#find = connection.statement(FIND);
    this.#insert = connection.statement(INSERT);
    this.#trim = connection.statement(TRIM);
  }

  find(scope: string, now: number): IdempotencyRecord | undefined {
    const row = this.#find.get(scope, now);
    if (row === undefined) return undefined;
    return { scope: row.scope, requestHash: row.request_hash, answer: row.answer, expiresAt: row.expires_at };
  }

  insert(record: IdempotencyRecord, now: number): void {
    const written = this.#insert.run(record.scope, record.requestHash, record.answer, record.expiresAt, now);
    if (written === 0) throw new Fault('ABORTED', 'CONFLICT', 'another call with this idempotency key was first');
  }

  trim(now: number, limit: number): number {
    return this.#trim.run(now, limit);
  }
}

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

const PUT_ARTIFACT = `INSERT INTO artifacts (id, session_id, body) VALUES (?, ?, ?)
  ON CONFLICT (id) DO UPDATE SET body = excluded.body`;
const GET_ARTIFACT = 'SELECT id, session_id, body FROM artifacts WHERE id = ?';
const LIST_ARTIFACTS = `SELECT id, session_id, body FROM artifacts WHERE session_id = ? AND id < ? ORDER BY id DESC ${LIMIT}`;
const ARTIFACT_IDS = 'SELECT id FROM artifacts WHERE session_id = ?';
const REMOVE_ARTIFACT = 'DELETE FROM artifacts WHERE id = ?';

/** Artifacts by id and by session. */
export class ArtifactTable {
  readonly #put: Statement;
  readonly #get: Statement<ArtifactSqlRow>;
  readonly #list: Statement<ArtifactSqlRow>;
  readonly #ids: Statement<{ id: string }>;
  readonly #remove: Statement;

  constructor(connection: Connection) {
    this.#put = connection.statement(PUT_ARTIFACT);
    this.#get = connection.statement(GET_ARTIFACT);
    this.#list = connection.statement(LIST_ARTIFACTS);
    this.#ids = connection.statement(ARTIFACT_IDS);
    this.#remove = connection.statement(REMOVE_ARTIFACT);
  }

  put(row: ArtifactRow): void {
    this.#put.run(row.id, row.sessionId, row.body);
  }

  get(id: string): ArtifactRow | undefined {
    const row = this.#get.get(id);
    return row === undefined ? undefined : toArtifact(row);
  }

  list(sessionId: string, before: string | undefined, limit: number): ArtifactRow[] {
    return this.#list.all(sessionId, before ?? LAST_ID, limit).map(toArtifact);
  }

  idsOf(sessionId: string): string[] {
    return this.#ids.all(sessionId).map((row) => row.id);
  }

  remove(id: string): void {
    this.#remove.run(id);
  }
}
