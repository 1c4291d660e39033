import type { LabelRequirement, ResourceKey, ResourceQuery, StoredResource } from '../../contracts/index.ts';
import {
  type DrivingLabel,
  drivingLabels,
  RESOURCE_COLUMNS,
  type ResourceSqlRow,
  toResource,
} from '../../rows/index.ts';
import { ComposedStatements, type Connection, LIMIT, type SqlValue, type Statement } from '../connection.ts';

const NEXT_KIND = 'SELECT kind FROM resources WHERE kind > ? ORDER BY kind LIMIT 1';
const NEXT_NAMESPACE = 'SELECT namespace FROM resources WHERE kind = ? AND namespace >= ? ORDER BY namespace LIMIT 1';
/** Resources of a kind with one of several values of a label, from which on all resources of the kind are read. */
const MATCHES_MAX = 10_000;
const COUNT_VALUES = `SELECT value, count(*) AS found FROM (SELECT value FROM resource_labels
  WHERE kind = ? AND label = ? AND value IN (SELECT value FROM json_each(?)) ${LIMIT}) GROUP BY value`;

const COUNT = `SELECT count(*) AS found FROM (SELECT 1 FROM resources WHERE kind = ? AND namespace = ? ${LIMIT})`;

/** One requirement as a condition over the JSON column `labels`, plus its values. */
export const labelCondition = (
  requirement: LabelRequirement,
  column: string,
): { readonly sql: string; readonly values: readonly SqlValue[] } => {
  const value = `(${column} ->> ?)`;
  switch (requirement.op) {
    case 'exists':
      return { sql: `${value} IS NOT NULL`, values: [requirement.key] };
    case 'notExists':
      return { sql: `${value} IS NULL`, values: [requirement.key] };
    case 'in':
      return {
        sql: `${value} IN (SELECT value FROM json_each(?))`,
        values: [requirement.key, JSON.stringify(requirement.values)],
      };
    case 'notIn':
      return {
        sql: `(${value} IS NULL OR ${value} NOT IN (SELECT value FROM json_each(?)))`,
        values: [requirement.key, requirement.key, JSON.stringify(requirement.values)],
      };
  }
};

interface Range {
  readonly kind: string;
  /** Absent = every namespace. */
  readonly namespace: string | undefined;
  readonly after: ResourceKey | undefined;
}

interface Scan {
  readonly query: ResourceQuery;
  readonly range: Range;
  readonly limit: number;
  /** What is left to look at in each row. */
  readonly requirements: readonly LabelRequirement[];
  readonly driver?: DrivingLabel;
}

/**
 * Lists in key order without sorting: one index range per kind and namespace, leaping over namespaces that hold nothing.
 * A label with one value, or one of a few, walks the label table instead, which has the same order.
 */
export class ResourceList {
  readonly #nextKind: Statement<{ kind: string }>;
  readonly #nextNamespace: Statement<{ namespace: string }>;
  readonly #countValues: Statement<{ value: string; found: number }>;
  readonly #count: Statement<{ found: number }>;
  readonly #ranges: ComposedStatements<ResourceSqlRow>;

  constructor(connection: Connection) {
    this.#ranges = new ComposedStatements(connection);
    this.#nextKind = connection.statement(NEXT_KIND);
    this.#nextNamespace = connection.statement(NEXT_NAMESPACE);
    this.#countValues = connection.statement(COUNT_VALUES);
    this.#count = connection.statement(COUNT);
  }

  count(kind: string, namespace: string, limit: number): number {
    return this.#count.get(kind, namespace, limit)?.found ?? 0;
  }

  list(query: ResourceQuery): StoredResource[] {
    const found: StoredResource[] = [];
    for (const kind of this.#kinds(query)) {
      this.#listKind(query, kind, found);
      if (found.length >= query.limit) break;
    }
    return found;
  }

  *#kinds(query: ResourceQuery): Generator<string> {
    if (query.kind !== undefined) {
      if (query.after === undefined || query.after.kind <= query.kind) yield query.kind;
      return;
    }
    if (query.after !== undefined) yield query.after.kind;
    let next = this.#nextKind.get(query.after?.kind ?? '');
    while (next !== undefined) {
      yield next.kind;
      next = this.#nextKind.get(next.kind);
    }
  }

  #listKind(query: ResourceQuery, kind: string, found: StoredResource[]): void {
    const after = query.after?.kind === kind ? query.after : undefined;
    if (query.scope.type === 'all') {
      this.#range(query, { kind, namespace: undefined, after }, found);
      return;
    }
    for (const namespace of this.#namespaces(query, kind, after)) {
      this.#range(query, { kind, namespace, after: after?.namespace === namespace ? after : undefined }, found);
      if (found.length >= query.limit) return;
    }
  }

  *#namespaces(query: ResourceQuery, kind: string, after: ResourceKey | undefined): Generator<string> {
    if (query.scope.type === 'all') return;
    if (query.scope.type === 'namespace') {
      if (after === undefined || after.namespace <= query.scope.namespace) yield query.scope.namespace;
      return;
    }
    const wanted = [...new Set(query.scope.namespaces)].sort(compareUtf8);
    let existing: string | undefined;
    for (const namespace of wanted) {
      if (after !== undefined && compareUtf8(namespace, after.namespace) < 0) continue;
      if (existing === undefined || compareUtf8(existing, namespace) < 0) {
        existing = this.#nextNamespace.get(kind, namespace)?.namespace;
        if (existing === undefined) return;
      }
      if (existing === namespace) yield namespace;
    }
  }

  #range(query: ResourceQuery, range: Range, found: StoredResource[]): void {
    const limit = query.limit - found.length;
    const requirements = query.labels ?? [];
    const drivers = this.#drivers(range.kind, requirements);
    const scan = { query, range, limit };
    const lists =
      drivers === undefined
        ? [this.#scan({ ...scan, requirements })]
        : drivers.map((driver) => this.#scan({ ...scan, requirements: driver.rest, driver }));
    for (const row of inKeyOrder(lists, limit)) found.push(toResource(row));
  }

  /** Undefined where many have the label: read row by row a page is soon full, and no row is read in vain. */
  #drivers(kind: string, requirements: readonly LabelRequirement[]): readonly DrivingLabel[] | undefined {
    const drivers = drivingLabels(requirements);
    if (drivers.length === 0) return undefined;
    if (drivers.length === 1) return drivers;
    const [{ key = '' } = {}] = drivers;
    const counts = this.#countValues.all(kind, key, JSON.stringify(drivers.map(({ value }) => value)), MATCHES_MAX);
    if (counts.reduce((sum, { found }) => sum + found, 0) >= MATCHES_MAX) return undefined;
    const present = new Set(counts.map(({ value }) => value));
    return drivers.filter(({ value }) => present.has(value));
  }

  #scan({ query, range, limit, requirements, driver }: Scan): readonly ResourceSqlRow[] {
    const order = driver === undefined ? 'r' : 'l';
    const conditions = [`${order}.kind = ?`];
    const values: SqlValue[] = [range.kind];
    const add = (sql: string, ...more: readonly SqlValue[]): void => {
      conditions.push(sql);
      values.push(...more);
    };
    if (driver !== undefined) add('l.label = ? AND l.value = ?', driver.key, driver.value);
    if (range.namespace !== undefined) add(`${order}.namespace = ?`, range.namespace);
    if (query.parent !== undefined) add(`${order}.parent = ?`, query.parent);
    if (range.after !== undefined) {
      const { namespace, parent, name } = range.after;
      if (range.namespace === undefined)
        add(`(${order}.namespace, ${order}.parent, ${order}.name) > (?, ?, ?)`, namespace, parent, name);
      else add(`(${order}.parent, ${order}.name) > (?, ?)`, parent, name);
    }
    for (const requirement of requirements) {
      const condition = labelCondition(requirement, 'r.labels');
      add(condition.sql, ...condition.values);
    }
    values.push(limit);
    const from = driver === undefined ? 'resources r' : LABELLED;
    const sql = `SELECT ${COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')}
      ORDER BY ${order}.namespace, ${order}.parent, ${order}.name ${LIMIT}`;
    return this.#ranges.of(sql).all(...values);
  }
}

const COLUMNS = RESOURCE_COLUMNS.split(', ')
  .map((column) => `r.${column}`)
  .join(', ');
const LABELLED = `resource_labels l CROSS JOIN resources r
  ON r.kind = l.kind AND r.namespace = l.namespace AND r.parent = l.parent AND r.name = l.name`;

/** SQLite compares UTF-8 bytes; JavaScript's order of UTF-16 units differs above the basic plane. */
const compareUtf8 = (left: string, right: string): number => {
  if (left === right) return 0;
  if (ABOVE_BASIC.test(left) || ABOVE_BASIC.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
};
const ABOVE_BASIC = /[\ud800-\udfff]/;

/** The first rows of several lists in key order, none of which holds a row of another. */
const inKeyOrder = (lists: readonly (readonly ResourceSqlRow[])[], limit: number): readonly ResourceSqlRow[] => {
  const filled = lists.filter((rows) => rows.length > 0);
  return filled.length <= 1 ? (filled[0] ?? []) : filled.flat().sort(compareKeys).slice(0, limit);
};

const compareKeys = (left: ResourceSqlRow, right: ResourceSqlRow): number => {
  if (left.namespace !== right.namespace) return compareUtf8(left.namespace, right.namespace);
  return left.parent === right.parent ? compareUtf8(left.name, right.name) : compareUtf8(left.parent, right.parent);
};
