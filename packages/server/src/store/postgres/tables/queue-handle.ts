import type { QueueItem, QueueWrites } from '../../contracts/index.ts';
import type { WriteAccess } from '../access.ts';
import { statement } from '../connection/index.ts';

const PUT = statement(
  `INSERT INTO queue (kind, key, due_at, attempts, token, payload) VALUES ($1,$2,$3,$4,'',$5) ON CONFLICT DO NOTHING`,
);
const REPLACE = statement(
  `INSERT INTO queue (kind, key, due_at, attempts, token, payload) VALUES ($1,$2,$3,$4,'',$5) ON CONFLICT (kind, key)
   DO UPDATE SET due_at = excluded.due_at, attempts = excluded.attempts, token = '', payload = excluded.payload`,
);
/** Items that another taker looks at are left out. */
const DUE = statement<{ kind: string; key: string; due_at: number; attempts: number; payload: string }>(
  `SELECT kind, key, due_at, attempts, payload FROM queue WHERE kind = ANY($1::text[]) AND due_at <= $2
   ORDER BY due_at, key LIMIT $3 FOR UPDATE SKIP LOCKED`,
);
const TAKE = statement(
  `UPDATE queue q SET due_at = $4, attempts = attempts + 1, token = t.token
   FROM unnest($1::text[], $2::text[], $3::text[]) AS t (kind, key, token) WHERE q.kind = t.kind AND q.key = t.key`,
);
const ACK = statement('DELETE FROM queue WHERE kind = $1 AND key = $2 AND token = $3');
const RETRY = statement(
  `UPDATE queue SET due_at = $4, payload = $5, token = '' WHERE kind = $1 AND key = $2 AND token = $3`,
);
const CANCEL = statement('DELETE FROM queue WHERE kind = $1 AND key = $2');
const NEXT_DUE = statement<{ due_at: number | null }>(
  `SELECT min(first) AS due_at FROM unnest($1::text[]) AS k (kind)
   CROSS JOIN LATERAL (SELECT due_at AS first FROM queue q WHERE q.kind = k.kind ORDER BY due_at LIMIT 1) f`,
);
const BACKLOG = statement<{ waiting: number; oldest: number }>(
  `SELECT count(*) AS waiting, coalesce(min(due_at), 0) AS oldest FROM queue
   WHERE kind = ANY($1::text[]) AND due_at <= $2`,
);

/** `QueueWrites`: taking an item moves its due time behind the lease, so a lost taker needs no clean-up. */
export class QueueHandle implements QueueWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    this.#access = access;
  }

  async put(item: QueueItem, options?: { readonly replace?: boolean }) {
    const values = [item.kind, item.key, item.dueAt, item.attempts, item.payload];
    this.#access.sql.later(options?.replace === true ? REPLACE : PUT, values);
  }

  async take(...[kinds, now, leaseMicros, limit]: Parameters<QueueWrites['take']>) {
    const { sql, nextToken } = this.#access;
    const due = await sql.rows(DUE, [kinds, now, limit]);
    if (due.length === 0) return [];
    const taken = due.map(({ kind, key, payload, due_at: dueAt, attempts }) => ({
      kind,
      key,
      dueAt,
      attempts: attempts + 1,
      payload,
      token: nextToken(),
    }));
    const columns = [taken.map(({ kind }) => kind), taken.map(({ key }) => key), taken.map(({ token }) => token)];
    sql.later(TAKE, [...columns, now + leaseMicros]);
    return taken;
  }

  async ack(kind: string, key: string, token: string) {
    return token !== '' && (await this.#access.sql.run(ACK, [kind, key, token])) === 1;
  }

  async retry(...[kind, key, token, dueAt, payload]: Parameters<QueueWrites['retry']>) {
    return token !== '' && (await this.#access.sql.run(RETRY, [kind, key, token, dueAt, payload])) === 1;
  }

  async cancel(kind: string, key: string) {
    this.#access.sql.later(CANCEL, [kind, key]);
  }

  async nextDue(kinds: readonly string[]) {
    return (await this.#access.sql.one(NEXT_DUE, [kinds])).due_at ?? undefined;
  }

  async backlog(kinds: readonly string[], now: number) {
    const row = await this.#access.sql.one(BACKLOG, [kinds, now]);
    return { count: row.waiting, oldestDueAt: row.oldest };
  }
}
