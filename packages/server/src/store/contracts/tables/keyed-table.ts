import type { Columns, FieldsOf, RowOf, TableFacts } from './description.ts';

/** Rows that have the same value in some fields, in the order of others. */
export interface PageQuery<Field extends string = string> {
  readonly equal: readonly Field[];
  /** Together they differ between any two rows that are found. */
  readonly order: readonly Field[];
  readonly direction: 'ascending' | 'descending';
}

/** Records that are read and written by their key, and listed by named queries. */
export interface KeyedTable extends TableFacts {
  readonly form: 'keyed';
  /** Fields that keep the value they were first put with, such as those an index begins with. */
  readonly fixed: readonly string[];
  readonly queries: Readonly<Record<string, PageQuery>>;
}

/** Describes a keyed table; the compiler checks that every field it names is a column. */
export const keyedTable = <
  const C extends Columns,
  const Key extends readonly (keyof C & string)[],
  const Queries extends Readonly<Record<string, PageQuery<keyof C & string>>>,
>(table: {
  readonly name: string;
  readonly columns: C;
  readonly key: Key;
  readonly fixed: readonly (keyof C & string)[];
  readonly queries: Queries;
}) => ({ form: 'keyed', ...table }) as const;

export interface KeyedReads<Table extends KeyedTable> {
  /** Within a write transaction the row that is found is held until its end: no other one reads it to write it meanwhile. */
  get(key: FieldsOf<Table, Table['key']>): Promise<RowOf<Table> | undefined>;
  /**
   * Rows of a named query in its order, those behind `after` (exclusive). They are not held: another transaction may change
   * them before this one commits, so one that writes what depends on them holds something that they belong to.
   */
  page<Name extends keyof Table['queries']>(
    query: Name,
    equal: FieldsOf<Table, Table['queries'][Name]['equal']>,
    page: { readonly after?: FieldsOf<Table, Table['queries'][Name]['order']> | undefined; readonly limit: number },
  ): Promise<readonly RowOf<Table>[]>;
}

export interface KeyedWrites<Table extends KeyedTable> extends KeyedReads<Table> {
  /** Inserts the row, or replaces the one with its key. */
  put(row: RowOf<Table>): Promise<void>;
  /** Nothing happens where there is none. */
  remove(key: FieldsOf<Table, Table['key']>): Promise<void>;
  /** Removes every row that the query finds, for those that are known to be few; answers their keys. */
  removeAll<Name extends keyof Table['queries']>(
    query: Name,
    equal: FieldsOf<Table, Table['queries'][Name]['equal']>,
  ): Promise<readonly FieldsOf<Table, Table['key']>[]>;
}
