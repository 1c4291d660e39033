import type { KeyedReads, KeyedTable, KeyedWrites, PageQuery } from '../../../contracts/index.ts';
import { type DescribedRow, keyedTexts, ofQuery, type QueryTexts, rowReader, valuesOf } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { numberedSql, type Sql } from '../../connection.ts';

/** The statements of a keyed table, and what makes rows of what they answer. */
export interface KeyedSql {
  readonly table: KeyedTable;
  readonly get: Sql<DescribedRow>;
  readonly put: Sql;
  readonly remove: Sql;
  readonly queries: Readonly<Record<string, QuerySql>>;
  readonly read: (row: DescribedRow) => DescribedRow;
}

/** The statements of a named query. */
interface QuerySql {
  readonly query: PageQuery;
  readonly first: Sql<DescribedRow>;
  readonly behind: Sql<DescribedRow>;
  readonly removeAll: Sql<DescribedRow>;
}

/** The statements of a description; made once. */
export const keyedSql = (table: KeyedTable): KeyedSql => {
  const { get, put, remove, queries } = keyedTexts(table);
  return {
    table,
    get: numberedSql(get),
    put: numberedSql(put),
    remove: numberedSql(remove),
    queries: Object.fromEntries(Object.entries(queries).map(([name, texts]) => [name, querySql(texts)])),
    read: rowReader(table),
  };
};

const querySql = ({ query, first, behind, removeAll }: QueryTexts): QuerySql => ({
  query,
  first: numberedSql(first),
  behind: numberedSql(behind),
  removeAll: numberedSql(removeAll),
});

/** `KeyedReads` of any description, over one connection. */
export class KeyedReadHandle implements KeyedReads<KeyedTable> {
  readonly #access: Access;
  protected readonly sql: KeyedSql;

  constructor(access: Access, sql: KeyedSql) {
    this.#access = access;
    this.sql = sql;
  }

  async get(key: DescribedRow) {
    this.#access.enter();
    const { table, get, read } = this.sql;
    const row = this.#access.connection.of(get).get(...valuesOf(table.key, key));
    return this.#access.leave(row === undefined ? undefined : read(row));
  }

  async page(...[name, equal, { after, limit }]: Parameters<KeyedReads<KeyedTable>['page']>) {
    this.#access.enter();
    const { query, first, behind } = ofQuery(this.sql.queries, name);
    const values = valuesOf(query.equal, equal);
    const { connection } = this.#access;
    const rows =
      after === undefined
        ? connection.of(first).all(...values, limit)
        : connection.of(behind).all(...values, ...valuesOf(query.order, after), limit);
    return this.#access.leave(rows.map(this.sql.read));
  }
}

/** `KeyedWrites` of any description inside one write transaction. The one writer holds every row. */
export class KeyedWriteHandle extends KeyedReadHandle implements KeyedWrites<KeyedTable> {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess, sql: KeyedSql) {
    super(access, sql);
    this.#access = access;
  }

  async put(row: DescribedRow) {
    this.#access.change();
    const { table, put } = this.sql;
    this.#access.connection.of(put).run(...valuesOf(Object.keys(table.columns), row));
  }

  async remove(key: DescribedRow) {
    this.#access.change();
    this.#access.connection.of(this.sql.remove).run(...valuesOf(this.sql.table.key, key));
  }

  async removeAll(...[name, equal]: Parameters<KeyedWrites<KeyedTable>['removeAll']>) {
    this.#access.change();
    const { query, removeAll } = ofQuery(this.sql.queries, name);
    return this.#access.connection.of(removeAll).all(...valuesOf(query.equal, equal));
  }
}
