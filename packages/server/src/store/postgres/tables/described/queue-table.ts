import type { HeldItem, QueueItem, QueueTable, QueueWrites } from '../../../contracts/index.ts';
import { claimedAt, claimToken, ownerPrefix } from '../../../rows/index.ts';
import type { WriteAccess } from '../../access.ts';
import { type Statement, statement } from '../../connection/index.ts';

/** The statements of a queue. */
export interface QueueSql {
  readonly put: Statement;
  readonly replace: Statement;
  readonly due: Statement<QueueItem>;
  readonly take: Statement;
  readonly renew: Statement;
  readonly ack: Statement;
  readonly retry: Statement;
  readonly cancel: Statement;
  readonly nextDue: Statement<{ readonly dueAt: number | null }>;
  readonly held: Statement<HeldRow>;
  readonly backlog: Statement<{ readonly waiting: number; readonly oldest: number }>;
}

type HeldRow = Omit<HeldItem, 'since'> & { readonly token: string };

const TAKEN = 'kind = $1 AND key = $2 AND token = $3';

/** The statements of a description; made once. */
export const queueSql = ({ name }: QueueTable): QueueSql => {
  const insert = `INSERT INTO ${name} (kind, key, due_at, attempts, token, payload) VALUES ($1, $2, $3, $4, '', $5) ON CONFLICT`;
  return {
    put: statement(`${insert} DO NOTHING`),
    replace: statement(
      `${insert} (kind, key) DO UPDATE
       SET due_at = excluded.due_at, attempts = excluded.attempts, token = '', payload = excluded.payload`,
    ),
    // Items that another taker looks at are left out.
    due: statement(
      `SELECT kind, key, due_at AS "dueAt", attempts, payload FROM ${name} WHERE kind = ANY($1::text[]) AND due_at <= $2
       ORDER BY due_at, key LIMIT $3 FOR UPDATE SKIP LOCKED`,
    ),
    take: statement(
      `UPDATE ${name} q SET due_at = $4, attempts = attempts + 1, token = t.token
       FROM unnest($1::text[], $2::text[], $3::text[]) AS t (kind, key, token) WHERE q.kind = t.kind AND q.key = t.key`,
    ),
    renew: statement(`UPDATE ${name} SET due_at = $4 WHERE ${TAKEN}`),
    ack: statement(`DELETE FROM ${name} WHERE ${TAKEN}`),
    retry: statement(`UPDATE ${name} SET due_at = $4, payload = $5, token = '' WHERE ${TAKEN}`),
    cancel: statement(`DELETE FROM ${name} WHERE kind = $1 AND key = $2`),
    nextDue: statement(
      `SELECT min(first) AS "dueAt" FROM unnest($1::text[]) AS k (kind)
       CROSS JOIN LATERAL (SELECT due_at AS first FROM ${name} q WHERE q.kind = k.kind ORDER BY due_at LIMIT 1) f`,
    ),
    held: statement(
      `SELECT kind, key, due_at AS "dueAt", attempts, payload, token FROM ${name}
       WHERE kind = ANY($1::text[]) AND due_at > $2 AND due_at <= $3 AND starts_with(token, $4)
       ORDER BY due_at, key LIMIT $5`,
    ),
    backlog: statement(
      `SELECT count(*) AS waiting, coalesce(min(due_at), 0) AS oldest FROM ${name}
       WHERE kind = ANY($1::text[]) AND due_at <= $2`,
    ),
  };
};

/** `QueueWrites` of any description inside one write transaction. */
export class QueueHandle implements QueueWrites {
  readonly #access: WriteAccess;
  readonly #sql: QueueSql;

  constructor(access: WriteAccess, sql: QueueSql) {
    this.#access = access;
    this.#sql = sql;
  }

  async put(item: QueueItem, options?: { readonly replace?: boolean }) {
    const put = options?.replace === true ? this.#sql.replace : this.#sql.put;
    this.#access.sql.later(put, [item.kind, item.key, item.dueAt, item.attempts, item.payload]);
  }

  async take(...[kinds, now, leaseMicros, limit, owner]: Parameters<QueueWrites['take']>) {
    const { sql, nextToken } = this.#access;
    const due = await sql.rows(this.#sql.due, [kinds, now, limit]);
    if (due.length === 0) return [];
    const taken = due.map((item) => ({
      ...item,
      attempts: item.attempts + 1,
      token: claimToken(nextToken(), { owner, now }),
    }));
    const columns = [taken.map(({ kind }) => kind), taken.map(({ key }) => key), taken.map(({ token }) => token)];
    sql.later(this.#sql.take, [...columns, now + leaseMicros]);
    return taken;
  }

  async held(...[owner, { kinds, now, until }, limit]: Parameters<QueueWrites['held']>) {
    const rows = await this.#access.sql.rows(this.#sql.held, [kinds, now, until, ownerPrefix(owner), limit]);
    return rows.map(({ token, ...item }) => ({ ...item, since: claimedAt(token) }));
  }

  async renew(...[kind, key, token, until]: Parameters<QueueWrites['renew']>) {
    return token !== '' && (await this.#access.sql.run(this.#sql.renew, [kind, key, token, until])) === 1;
  }

  async ack(kind: string, key: string, token: string) {
    return token !== '' && (await this.#access.sql.run(this.#sql.ack, [kind, key, token])) === 1;
  }

  async retry(...[kind, key, token, dueAt, payload]: Parameters<QueueWrites['retry']>) {
    return token !== '' && (await this.#access.sql.run(this.#sql.retry, [kind, key, token, dueAt, payload])) === 1;
  }

  async cancel(kind: string, key: string) {
    this.#access.sql.later(this.#sql.cancel, [kind, key]);
  }

  async nextDue(kinds: readonly string[]) {
    return (await this.#access.sql.one(this.#sql.nextDue, [kinds])).dueAt ?? undefined;
  }

  async backlog(kinds: readonly string[], now: number) {
    const row = await this.#access.sql.one(this.#sql.backlog, [kinds, now]);
    return { count: row.waiting, oldestDueAt: row.oldest };
  }
}
