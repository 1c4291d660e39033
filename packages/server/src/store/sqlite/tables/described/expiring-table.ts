import type { ExpiringReads, ExpiringTable, ExpiringWrites } from '../../../contracts/index.ts';
import { type DescribedRow, expiringTexts, rowReader, valuesOf } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { numberedSql, type Sql } from '../../connection.ts';

/** The statements of an expiring table, and what makes rows of what they answer. */
export interface ExpiringSql {
  readonly table: ExpiringTable;
  readonly find: Sql<DescribedRow>;
  readonly insert: Sql;
  readonly trim: Sql;
  readonly read: (row: DescribedRow) => DescribedRow;
}

/** The statements of a description; made once. */
export const expiringSql = (table: ExpiringTable): ExpiringSql => {
  const { find, insert, trim } = expiringTexts(table);
  return {
    table,
    find: numberedSql(find),
    insert: numberedSql(insert),
    trim: numberedSql(trim),
    read: rowReader(table),
  };
};

/** `ExpiringReads` of any description, over one connection. */
export class ExpiringReadHandle implements ExpiringReads<ExpiringTable> {
  readonly #access: Access;
  protected readonly sql: ExpiringSql;

  constructor(access: Access, sql: ExpiringSql) {
    this.#access = access;
    this.sql = sql;
  }

  async find(key: string, now: number) {
    this.#access.enter();
    const row = this.#access.connection.of(this.sql.find).get(key, now);
    return this.#access.leave(row === undefined ? undefined : this.sql.read(row));
  }
}

/** `ExpiringWrites` of any description inside one write transaction. */
export class ExpiringWriteHandle extends ExpiringReadHandle implements ExpiringWrites<ExpiringTable> {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess, sql: ExpiringSql) {
    super(access, sql);
    this.#access = access;
  }

  async insert(row: DescribedRow) {
    this.#access.change();
    const { table, insert } = this.sql;
    const values = valuesOf(Object.keys(table.columns), row);
    const written = this.#access.connection.of(insert).run(...values, this.#access.steadyNow);
    if (written === 0) throw table.taken();
  }

  async trim(now: number, limit: number) {
    this.#access.change();
    return this.#access.connection.of(this.sql.trim).run(now, limit);
  }
}
