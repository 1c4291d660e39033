import type { LeaseTable, LeaseWrites } from '../../../contracts/index.ts';
import type { WriteAccess } from '../../access.ts';
import { type Statement, statement } from '../../connection/index.ts';

/** The statements of a lease table. */
export interface LeaseSql {
  readonly acquire: Statement;
  readonly release: Statement;
}

/** The statements of a description; made once. */
export const leaseSql = ({ name }: LeaseTable): LeaseSql => ({
  acquire: statement(
    `INSERT INTO ${name} (name, owner, expires_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE
     SET owner = excluded.owner, expires_at = excluded.expires_at WHERE ${name}.owner = $2 OR ${name}.expires_at <= $4`,
  ),
  release: statement(`DELETE FROM ${name} WHERE name = $1 AND owner = $2`),
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
    return (await this.#access.sql.run(this.#sql.acquire, [name, owner, now + ttlMicros, now])) === 1;
  }

  async release(name: string, owner: string) {
    this.#access.sql.later(this.#sql.release, [name, owner]);
  }
}
