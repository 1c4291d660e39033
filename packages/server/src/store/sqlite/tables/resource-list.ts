import type { LabelRequirement, ResourceKey, ResourceQuery, StoredResource } from '../../contracts/index.ts';
import { drivingLabel, RESOURCE_COLUMNS, type ResourceSqlRow, toResource } from '../../rows/index.ts';
import { ComposedStatements, type Connection, LIMIT, type SqlValue, type Statement } from '../connection.ts';

const NEXT_KIND = 'SELECT kind FROM resources WHERE kind > ? ORDER BY kind LIMIT 1';
const NEXT_NAMESPACE = 'SELECT namespace FROM resources WHERE kind = ? AND namespace >= ? ORDER BY namespace LIMIT 1';

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

/**
 * Lists in key order without sorting: one index range per kind and namespace, leaping over namespaces that hold nothing.
 * An equality label walks the label table instead, which has the same order.
 */
export class ResourceList {
  readonly #nextKind: Statement<{ kind: string }>;
  readonly #nextNamespace: Statement<{ namespace: string }>;
  readonly #ranges: ComposedStatements<ResourceSqlRow>;

  constructor(connection: Connection) {
    this.#ranges = new ComposedStatements(connection);
    this.#nextKind = connection.statement(NEXT_KIND);
    this.#nextNamespace = connection.statement(NEXT_NAMESPACE);
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
    const requirements = query.labels ?? [];
    const driver = drivingLabel(requirements);
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
    values.push(query.limit - found.length);
    const from = driver === undefined ? 'resources r' : LABELLED;
    const sql = `SELECT ${COLUMNS} FROM ${from} WHERE ${conditions.join(' AND ')}
      ORDER BY ${order}.namespace, ${order}.parent, ${order}.name ${LIMIT}`;
    for (const row of this.#ranges.of(sql).all(...values)) found.push(toResource(row));
  }
}

const COLUMNS = RESOURCE_COLUMNS.split(', ')
  .map((column) => `r.${column}`)
  .join(', ');
const LABELLED = `resource_labels l CROSS JOIN resources r
  ON r.kind = l.kind AND r.namespace = l.namespace AND r.parent = l.parent AND r.name = l.name`;

/** SQLite compares UTF-8 bytes; JavaScript's order of UTF-16 units differs above the basic plane. */
const compareUtf8 = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
