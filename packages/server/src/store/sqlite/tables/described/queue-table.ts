import type { HeldItem, QueueItem, QueueTable, QueueWrites } from '../../../contracts/index.ts';
import { claimedAt, claimToken, ownerPrefix } from '../../../rows/index.ts';
import type { WriteAccess } from '../../access.ts';
import { LIMIT, type Sql, sql } from '../../connection.ts';

/** The statements of a queue. */
export interface QueueSql {
  readonly put: Sql;
  readonly replace: Sql;
  readonly due: Sql<QueueItem>;
  readonly take: Sql;
  readonly renew: Sql;
  readonly ack: Sql;
  readonly retry: Sql;
  readonly cancel: Sql;
  readonly nextDue: Sql<{ readonly dueAt: number }>;
  readonly held: Sql<HeldRow>;
  readonly backlog: Sql<{ readonly waiting: number; readonly oldest: number }>;
}

type HeldRow = Omit<HeldItem, 'since'> & { readonly token: string };

const TAKEN = 'kind = ? AND key = ? AND token = ?';

/** The statements of a description; made once. */
export const queueSql = ({ name }: QueueTable): QueueSql => {
  const insert = `INSERT INTO ${name} (kind, key, due_at, attempts, token, payload) VALUES (?, ?, ?, ?, '', ?) ON CONFLICT DO`;
  return {
    put: sql(`${insert} NOTHING`),
    replace: sql(
      `${insert} UPDATE SET due_at = excluded.due_at, attempts = excluded.attempts, token = '', payload = excluded.payload`,
    ),
    due: sql(
      `SELECT kind, key, due_at AS "dueAt", attempts, payload FROM ${name} WHERE kind = ? AND due_at <= ?
       ORDER BY due_at, key ${LIMIT}`,
    ),
    take: sql(`UPDATE ${name} SET due_at = ?, attempts = attempts + 1, token = ? WHERE kind = ? AND key = ?`),
    renew: sql(`UPDATE ${name} SET due_at = ? WHERE ${TAKEN}`),
    ack: sql(`DELETE FROM ${name} WHERE ${TAKEN}`),
    retry: sql(`UPDATE ${name} SET due_at = ?, payload = ?, token = '' WHERE ${TAKEN}`),
    cancel: sql(`DELETE FROM ${name} WHERE kind = ? AND key = ?`),
    nextDue: sql(`SELECT due_at AS "dueAt" FROM ${name} WHERE kind = ? ORDER BY due_at LIMIT 1`),
    held: sql(
      `SELECT kind, key, due_at AS "dueAt", attempts, payload, token FROM ${name}
       WHERE kind = ? AND due_at > ? AND due_at <= ? AND substr(token, 1, length(?4)) = ?4 ORDER BY due_at, key ${LIMIT}`,
    ),
    backlog: sql(
      `SELECT count(*) AS waiting, coalesce(min(due_at), 0) AS oldest FROM ${name} WHERE kind = ? AND due_at <= ?`,
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
    this.#access.change();
    const put = options?.replace === true ? this.#sql.replace : this.#sql.put;
    this.#access.connection.of(put).run(item.kind, item.key, item.dueAt, item.attempts, item.payload);
  }

  async take(...[kinds, now, leaseMicros, limit, owner]: Parameters<QueueWrites['take']>) {
    this.#access.change();
    const { connection, nextToken } = this.#access;
    const due = [...new Set(kinds)].flatMap((kind) => connection.of(this.#sql.due).all(kind, now, limit));
    due.sort((left, right) => left.dueAt - right.dueAt);
    return due.slice(0, limit).map(({ kind, key, dueAt, attempts, payload }) => {
      const token = claimToken(nextToken(), { owner, now });
      connection.of(this.#sql.take).run(now + leaseMicros, token, kind, key);
      return { kind, key, dueAt, attempts: attempts + 1, payload, token };
    });
  }

  async held(...[owner, { kinds, now, until }, limit]: Parameters<QueueWrites['held']>) {
    this.#access.enter();
    const held = this.#access.connection.of(this.#sql.held);
    const rows = [...new Set(kinds)].flatMap((kind) => held.all(kind, now, until, ownerPrefix(owner), limit));
    rows.sort((left, right) => left.dueAt - right.dueAt);
    return rows.slice(0, limit).map(({ token, ...item }) => ({ ...item, since: claimedAt(token) }));
  }

  async renew(...[kind, key, token, until]: Parameters<QueueWrites['renew']>) {
    this.#access.change();
    return token !== '' && this.#access.connection.of(this.#sql.renew).run(until, kind, key, token) === 1;
  }

  async ack(kind: string, key: string, token: string) {
    this.#access.change();
    return token !== '' && this.#access.connection.of(this.#sql.ack).run(kind, key, token) === 1;
  }

  async retry(...[kind, key, token, dueAt, payload]: Parameters<QueueWrites['retry']>) {
    this.#access.change();
    return token !== '' && this.#access.connection.of(this.#sql.retry).run(dueAt, payload, kind, key, token) === 1;
  }

  async cancel(kind: string, key: string) {
    this.#access.change();
    this.#access.connection.of(this.#sql.cancel).run(kind, key);
  }

  async nextDue(kinds: readonly string[]) {
    this.#access.enter();
    let earliest: number | undefined;
    for (const kind of kinds) {
      const row = this.#access.connection.of(this.#sql.nextDue).get(kind);
      if (row !== undefined && (earliest === undefined || row.dueAt < earliest)) earliest = row.dueAt;
    }
    return earliest;
  }

  async backlog(kinds: readonly string[], now: number) {
    this.#access.enter();
    let [count, oldestDueAt] = [0, 0];
    for (const kind of new Set(kinds)) {
      const { waiting = 0, oldest = 0 } = this.#access.connection.of(this.#sql.backlog).get(kind, now) ?? {};
      count += waiting;
      if (waiting > 0) oldestDueAt = oldestDueAt === 0 ? oldest : Math.min(oldestDueAt, oldest);
    }
    return { count, oldestDueAt };
  }
}
