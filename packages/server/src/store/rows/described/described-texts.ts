import { columnOf, type ExpiringTable, type KeyedTable, type PageQuery } from '../../contracts/index.ts';
import { answersOf, columnsOf } from './described-rows.ts';

/** Statements of a keyed table in the SQL of both engines. Parameters are `$1`, `$2`, and so on, in the order of their first use. */
export interface KeyedTexts {
  readonly get: string;
  readonly put: string;
  /** Like `put`, but keeps an existing row. */
  readonly add: string;
  readonly remove: string;
  readonly queries: Readonly<Record<string, QueryTexts>>;
}

/** Statements of a named query: its first page, a page behind a place, and the removal of all its rows. */
export interface QueryTexts {
  readonly query: PageQuery;
  readonly first: string;
  readonly behind: string;
  readonly removeAll: string;
}

/** Statements of an expiring table, as `KeyedTexts`. */
export interface ExpiringTexts {
  readonly find: string;
  readonly insert: string;
  readonly trim: string;
}

const equals = (fields: readonly string[]): string =>
  fields.length === 0 ? 'true' : fields.map((field, index) => `${columnOf(field)} = $${index + 1}`).join(' AND ');

/** Numbered parameters for these fields, starting after `others` earlier ones. */
const places = (fields: readonly string[], others = 0): string =>
  fields.map((_field, index) => `$${others + index + 1}`).join(', ');

/** SQLite plans a statement with a bare parameter as its limit again at each execution. */
const limit = (place: number): string => `LIMIT $${place} + 0`;

const replaced = (fields: readonly string[]): string =>
  fields.map((field) => `${columnOf(field)} = excluded.${columnOf(field)}`).join(', ');

const queryTexts = ({ name, columns, key }: KeyedTable, query: PageQuery): QueryTexts => {
  const { equal, order } = query;
  const isDescending = query.direction === 'descending';
  const page = (more: string, values: number): string =>
    `SELECT ${answersOf(Object.keys(columns))} FROM ${name} WHERE ${equals(equal)}${more}
     ORDER BY ${order.map((field) => `${columnOf(field)}${isDescending ? ' DESC' : ''}`).join(', ')} ${limit(values + 1)}`;
  const behind = ` AND (${columnsOf(order)}) ${isDescending ? '<' : '>'} (${places(order, equal.length)})`;
  return {
    query,
    first: page('', equal.length),
    behind: page(behind, equal.length + order.length),
    removeAll: `DELETE FROM ${name} WHERE ${equals(equal)} RETURNING ${answersOf(key)}`,
  };
};

/** The statements of a keyed table. */
export const keyedTexts = (table: KeyedTable): KeyedTexts => {
  const { name, key } = table;
  const fields = Object.keys(table.columns);
  const changing = fields.filter((field) => !key.includes(field) && !table.fixed.includes(field));
  const insert = `INSERT INTO ${name} (${columnsOf(fields)}) VALUES (${places(fields)}) ON CONFLICT (${columnsOf(key)}) DO`;
  return {
    get: `SELECT ${answersOf(fields)} FROM ${name} WHERE ${equals(key)}`,
    put: `${insert} ${changing.length === 0 ? 'NOTHING' : `UPDATE SET ${replaced(changing)}`}`,
    add: `${insert} NOTHING`,
    remove: `DELETE FROM ${name} WHERE ${equals(key)}`,
    queries: Object.fromEntries(
      Object.entries(table.queries).map(([named, query]) => [named, queryTexts(table, query)]),
    ),
  };
};

/** The statements of an expiring table. */
export const expiringTexts = (table: ExpiringTable): ExpiringTexts => {
  const { name } = table;
  const fields = Object.keys(table.columns);
  const [key, expiry] = [columnOf(table.key[0]), columnOf(table.expiry)];
  const others = fields.filter((field) => columnOf(field) !== key);
  return {
    find: `SELECT ${answersOf(fields)} FROM ${name} WHERE ${key} = $1 AND ${expiry} > $2`,
    insert: `INSERT INTO ${name} (${columnsOf(fields)}) VALUES (${places(fields)})
      ON CONFLICT (${key}) DO UPDATE SET ${replaced(others)} WHERE ${name}.${expiry} <= $${fields.length + 1}`,
    trim: `DELETE FROM ${name} WHERE ${key} IN
      (SELECT ${key} FROM ${name} WHERE ${expiry} <= $1 ORDER BY ${expiry} ${limit(2)})`,
  };
};
