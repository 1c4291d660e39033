import type { KeyedReads, KeyedTable, KeyedWrites, PageQuery } from '../../../contracts/index.ts';
import { type DescribedRow, keyedTexts, ofQuery, type QueryTexts, rowReader, valuesOf } from '../../../rows/index.ts';
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

/** The statements of a description; made once. */
export const keyedSql = (table: KeyedTable): KeyedSql => {
  const { get, put, add, remove, queries } = keyedTexts(table);
  return {
    table,
    get: statement(get),
    hold: statement(`${get} FOR NO KEY UPDATE`),
    put: statement(put),
    add: statement(add),
    remove: statement(remove),
    queries: Object.fromEntries(Object.entries(queries).map(([name, texts]) => [name, querySql(texts)])),
    read: rowReader(table),
  };
};

const querySql = ({ query, first, behind, removeAll }: QueryTexts): QuerySql => ({
  query,
  first: statement(first),
  behind: statement(behind),
  removeAll: statement(removeAll),
});

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
