import type { LeaseTable, LeaseWrites } from '../../../contracts/index.ts';
import type { WriteAccess } from '../../access.ts';
import { type Sql, sql } from '../../connection.ts';

/** The statements of a lease table. */
export interface LeaseSql {
  readonly acquire: Sql;
  readonly release: Sql;
}

/** The statements of a description; made once. */
export const leaseSql = ({ name }: LeaseTable): LeaseSql => ({
  acquire: sql(
    `INSERT INTO ${name} (name, owner, expires_at) VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE
     SET owner = excluded.owner, expires_at = excluded.expires_at WHERE owner = ?2 OR expires_at <= ?4`,
  ),
  release: sql(`DELETE FROM ${name} WHERE name = ? AND owner = ?`),
});

/** `LeaseWrites` of any description inside one write transaction. */
export class LeaseHandle implements LeaseWrites {
  readonly #access: WriteAccess;
  readonly #sql: LeaseSql;

  constructor(access: WriteAccess, sql: LeaseSql) {
    this.#access = access;
    this.#sql = sql;
  }

  async acquire(...[name, owner, now, ttlMicros]: Parameters<LeaseWrites['acquire']>) {
    this.#access.change();
    return this.#access.connection.of(this.#sql.acquire).run(name, owner, now + ttlMicros, now) === 1;
  }

  async release(name: string, owner: string) {
    this.#access.change();
    this.#access.connection.of(this.#sql.release).run(name, owner);
  }
}
