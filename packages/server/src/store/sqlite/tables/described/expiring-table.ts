import { columnOf, type ExpiringReads, type ExpiringTable, type ExpiringWrites } from '../../../contracts/index.ts';
import { answersOf, columnsOf, type DescribedRow, rowReader, valuesOf } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { LIMIT, type Sql, sql } from '../../connection.ts';

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
  const { name } = table;
  const fields = Object.keys(table.columns);
  const [key, expiry] = [columnOf(table.key[0]), columnOf(table.expiry)];
  const others = fields.map(columnOf).filter((column) => column !== key);
  const renewed = others.map((column) => `${column} = excluded.${column}`).join(', ');
  return {
    table,
    find: sql(`SELECT ${answersOf(fields)} FROM ${name} WHERE ${key} = ? AND ${expiry} > ?`),
    insert: sql(
      `INSERT INTO ${name} (${columnsOf(fields)}) VALUES (${fields.map(() => '?').join(', ')})
       ON CONFLICT (${key}) DO UPDATE SET ${renewed} WHERE ${name}.${expiry} <= ?`,
    ),
    trim: sql(
      `DELETE FROM ${name} WHERE ${key} IN (SELECT ${key} FROM ${name} WHERE ${expiry} <= ? ORDER BY ${expiry} ${LIMIT})`,
    ),
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
