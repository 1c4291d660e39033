import type { QueueItem } from '../../contracts/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';

const PUT = `INSERT INTO queue (kind, key, due_at, attempts, token, payload) VALUES (?,?,?,?,'',?) ON CONFLICT DO NOTHING`;
const REPLACE = `INSERT INTO queue (kind, key, due_at, attempts, token, payload) VALUES (?,?,?,?,'',?)
  ON CONFLICT DO UPDATE SET due_at = excluded.due_at, attempts = excluded.attempts, token = '', payload = excluded.payload`;
const DUE = `SELECT kind, key, due_at, attempts, payload FROM queue WHERE kind = ? AND due_at <= ? ORDER BY due_at, key ${LIMIT}`;
const TAKE = 'UPDATE queue SET due_at = ?, attempts = attempts + 1, token = ? WHERE kind = ? AND key = ?';
const ACK = 'DELETE FROM queue WHERE kind = ? AND key = ? AND token = ?';
const RETRY = `UPDATE queue SET due_at = ?, payload = ?, token = '' WHERE kind = ? AND key = ? AND token = ?`;
const CANCEL = 'DELETE FROM queue WHERE kind = ? AND key = ?';
const BACKLOG =
  'SELECT COUNT(*) AS waiting, COALESCE(MIN(due_at), 0) AS oldest FROM queue WHERE kind = ? AND due_at <= ?';
const NEXT_DUE = 'SELECT due_at FROM queue WHERE kind = ? ORDER BY due_at LIMIT 1';

interface QueueSqlRow {
  readonly kind: string;
  readonly key: string;
  readonly due_at: number;
  readonly attempts: number;
  readonly payload: string;
}

/** Outbox rows and timers. Taking an item moves its due time behind the lease, so a lost taker needs no clean-up. */
export class QueueTable {
  readonly #put: Statement;
  readonly #replace: Statement;
  readonly #due: Statement<QueueSqlRow>;
  readonly #take: Statement;
  readonly #ack: Statement;
  readonly #retry: Statement;
  readonly #cancel: Statement;
  readonly #nextDue: Statement<{ due_at: number }>;
  readonly #backlog: Statement<{ waiting: number; oldest: number }>;
  readonly #nextToken: () => string;

  /** `nextToken` answers a token that was never used in this database. */
  constructor(connection: Connection, nextToken: () => string) {
    this.#put = connection.statement(PUT);
    this.#replace = connection.statement(REPLACE);
    this.#due = connection.statement(DUE);
    this.#take = connection.statement(TAKE);
    this.#ack = connection.statement(ACK);
    this.#retry = connection.statement(RETRY);
    this.#cancel = connection.statement(CANCEL);
    this.#nextDue = connection.statement(NEXT_DUE);
    this.#backlog = connection.statement(BACKLOG);
    this.#nextToken = nextToken;
  }

  put(item: QueueItem, shouldReplace: boolean): void {
    (shouldReplace ? this.#replace : this.#put).run(item.kind, item.key, item.dueAt, item.attempts, item.payload);
  }

  take(kinds: readonly string[], times: { readonly now: number; readonly leaseMicros: number }, limit: number) {
    const due = [...new Set(kinds)].flatMap((kind) => this.#due.all(kind, times.now, limit));
    due.sort((left, right) => left.due_at - right.due_at);
    return due.slice(0, limit).map((row) => {
      const token = this.#nextToken();
      this.#take.run(times.now + times.leaseMicros, token, row.kind, row.key);
      const { kind, key, payload } = row;
      return { kind, key, dueAt: row.due_at, attempts: row.attempts + 1, payload, token };
    });
  }

  ack(kind: string, key: string, token: string): boolean {
    return token !== '' && this.#ack.run(kind, key, token) === 1;
  }

  retry(item: { readonly kind: string; readonly key: string; readonly token: string }, dueAt: number, payload: string) {
    return item.token !== '' && this.#retry.run(dueAt, payload, item.kind, item.key, item.token) === 1;
  }

  cancel(kind: string, key: string): void {
    this.#cancel.run(kind, key);
  }

  backlog(kinds: readonly string[], now: number): { readonly count: number; readonly oldestDueAt: number } {
    let count = 0;
    let oldestDueAt = 0;
    for (const kind of new Set(kinds)) {
      const { waiting = 0, oldest = 0 } = this.#backlog.get(kind, now) ?? {};
      count += waiting;
      if (waiting > 0) oldestDueAt = oldestDueAt === 0 ? oldest : Math.min(oldestDueAt, oldest);
    }
    return { count, oldestDueAt };
  }

  nextDue(kinds: readonly string[]): number | undefined {
    let earliest: number | undefined;
    for (const kind of kinds) {
      const row = this.#nextDue.get(kind);
      if (row !== undefined && (earliest === undefined || row.due_at < earliest)) earliest = row.due_at;
    }
    return earliest;
  }
}
