import {
  columnOf,
  type KeyedReads,
  type KeyedTable,
  type KeyedWrites,
  type PageQuery,
} from '../../../contracts/index.ts';
import { answersOf, columnsOf, type DescribedRow, ofQuery, rowReader, valuesOf } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { type Statement, statement } from '../../connection/index.ts';

/** The statements of a keyed table, and what makes rows of what they answer. */
export interface KeyedSql {
  readonly table: KeyedTable;
  readonly get: Statement<DescribedRow>;
  readonly hold: Statement<DescribedRow>;
  readonly put: Statement;
  readonly add: Statement;
  readonly remove: Statement;
  readonly queries: Readonly<Record<string, QuerySql>>;
  readonly read: (row: DescribedRow) => DescribedRow;
}

/** The statements of a named query. */
interface QuerySql {
  readonly query: PageQuery;
  readonly first: Statement<DescribedRow>;
  readonly behind: Statement<DescribedRow>;
  readonly removeAll: Statement<DescribedRow>;
}

const equals = (fields: readonly string[]): string =>
  fields.length === 0 ? 'true' : fields.map((field, index) => `${columnOf(field)} = $${index + 1}`).join(' AND ');

/** Numbered parameters for these fields, behind so many others. */
const places = (fields: readonly string[], others = 0): string =>
  fields.map((_field, index) => `$${others + index + 1}`).join(', ');

const querySql = ({ name, columns, key }: KeyedTable, query: PageQuery): QuerySql => {
  const { equal, order } = query;
  const isDescending = query.direction === 'descending';
  const page = (more: string, values: number) =>
    statement<DescribedRow>(
      `SELECT ${answersOf(Object.keys(columns))} FROM ${name} WHERE ${equals(equal)}${more}
       ORDER BY ${order.map((field) => `${columnOf(field)}${isDescending ? ' DESC' : ''}`).join(', ')} LIMIT $${values + 1}`,
    );
  const behind = ` AND (${columnsOf(order)}) ${isDescending ? '<' : '>'} (${places(order, equal.length)})`;
  return {
    query,
    first: page('', equal.length),
    behind: page(behind, equal.length + order.length),
    removeAll: statement(`DELETE FROM ${name} WHERE ${equals(equal)} RETURNING ${answersOf(key)}`),
  };
};

/** The statements of a description; made once. */
export const keyedSql = (table: KeyedTable): KeyedSql => {
  const { name, key } = table;
  const fields = Object.keys(table.columns);
  const changing = fields.filter((field) => !key.includes(field) && !table.fixed.includes(field));
  const change = changing.map((field) => `${columnOf(field)} = excluded.${columnOf(field)}`).join(', ');
  const get = `SELECT ${answersOf(fields)} FROM ${name} WHERE ${equals(key)}`;
  const insert = `INSERT INTO ${name} (${columnsOf(fields)}) VALUES (${places(fields)}) ON CONFLICT (${columnsOf(key)}) DO`;
  return {
    table,
    get: statement(get),
    hold: statement(`${get} FOR NO KEY UPDATE`),
    put: statement(`${insert} ${change === '' ? 'NOTHING' : `UPDATE SET ${change}`}`),
    add: statement(`${insert} NOTHING`),
    remove: statement(`DELETE FROM ${name} WHERE ${equals(key)}`),
    queries: Object.fromEntries(Object.entries(table.queries).map(([named, query]) => [named, querySql(table, query)])),
    read: rowReader(table),
  };
};

/** Names a row among the reads of a transaction. */
const idOf = (table: KeyedTable, row: DescribedRow): string =>
  JSON.stringify([table.name, ...valuesOf(table.key, row)]);

/** `KeyedReads` of any description: of one snapshot, or each read alone. */
export class KeyedReadHandle implements KeyedReads<KeyedTable> {
  readonly #access: Access;
  protected readonly sql: KeyedSql;

  constructor(access: Access, sql: KeyedSql) {
    this.#access = access;
    this.sql = sql;
  }

  async get(key: DescribedRow): Promise<DescribedRow | undefined> {
    const { table, get, read } = this.sql;
    const row = await this.#access.sql.first(get, valuesOf(table.key, key));
    return row === undefined ? undefined : read(row);
  }

  async page(...[name, equal, { after, limit }]: Parameters<KeyedReads<KeyedTable>['page']>) {
    const { query, first, behind } = ofQuery(this.sql.queries, name);
    const values = valuesOf(query.equal, equal);
    const { sql } = this.#access;
    const rows =
      after === undefined
        ? await sql.rows(first, [...values, limit])
        : await sql.rows(behind, [...values, ...valuesOf(query.order, after), limit]);
    return rows.map(this.sql.read);
  }
}

/** `KeyedWrites` of any description inside one write transaction. */
export class KeyedWriteHandle extends KeyedReadHandle implements KeyedWrites<KeyedTable> {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess, sql: KeyedSql) {
    super(access, sql);
    this.#access = access;
  }

  override async get(key: DescribedRow) {
    const { table, hold, read } = this.sql;
    const { sql, reads } = this.#access;
    const row = await sql.first(hold, valuesOf(table.key, key));
    if (row !== undefined) return read(row);
    reads.sawMissing(idOf(table, key));
    return undefined;
  }

  /** Where another transaction put a row that this one found missing, this one begins again. */
  async put(row: DescribedRow) {
    const { table, put, add } = this.sql;
    const { sql, reads } = this.#access;
    const values = valuesOf(Object.keys(table.columns), row);
    const id = idOf(table, row);
    if (!reads.isMissing(id)) return sql.later(put, values);
    if ((await sql.run(add, values)) === 0) throw reads.stale(id);
    reads.wroteMissing(id);
  }

  async remove(key: DescribedRow) {
    this.#access.sql.later(this.sql.remove, valuesOf(this.sql.table.key, key));
  }

  async removeAll(...[name, equal]: Parameters<KeyedWrites<KeyedTable>['removeAll']>) {
    const { query, removeAll } = ofQuery(this.sql.queries, name);
    return this.#access.sql.rows(removeAll, valuesOf(query.equal, equal));
  }
}
