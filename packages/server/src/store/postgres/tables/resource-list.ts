import type { LabelRequirement, ResourceQuery, StoredResource } from '../../contracts/index.ts';
import {
  type DrivingLabel,
  drivingLabel,
  RESOURCE_COLUMNS,
  type ResourceSqlRow,
  toResource,
} from '../../rows/index.ts';
import { composed, type Queries, type SqlValue, statement } from '../connection/index.ts';

const COLUMNS = RESOURCE_COLUMNS.split(', ')
  .map((column) => `r.${column}`)
  .join(', ');

/** A condition under construction: each value becomes the next parameter. */
export class Conditions {
  readonly values: SqlValue[];
  readonly #conditions: string[] = [];

  /** `values`: those of the statement so far, where it has conditions at several places. */
  constructor(values: SqlValue[] = []) {
    this.values = values;
  }

  /** Placeholder of a new parameter. */
  value(value: SqlValue): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  add(condition: string): void {
    this.#conditions.push(condition);
  }

  /** `WHERE …`, or nothing. */
  get where(): string {
    return this.#conditions.length === 0 ? '' : `WHERE ${this.#conditions.join(' AND ')}`;
  }
}

/** One requirement as a condition over the JSON column `labels`. */
export const addLabelCondition = (conditions: Conditions, requirement: LabelRequirement, column: string): void => {
  const label = `(${column}::json ->> ${conditions.value(requirement.key)})`;
  switch (requirement.op) {
    case 'exists':
      return conditions.add(`${label} IS NOT NULL`);
    case 'notExists':
      return conditions.add(`${label} IS NULL`);
    case 'in':
      return conditions.add(`${label} = ANY(${conditions.value(requirement.values)}::text[])`);
    case 'notIn':
      return conditions.add(`(${label} IS NULL OR ${label} <> ALL(${conditions.value(requirement.values)}::text[]))`);
  }
};

/** Resources in key order: kind, namespace, parent, name, byte by byte. */
export const listResources = async (sql: Queries, query: ResourceQuery): Promise<readonly StoredResource[]> => {
  const { scope, kind, after, limit } = query;
  if (scope.type === 'namespaces' && scope.namespaces.length === 0) return [];
  const requirements = query.labels ?? [];
  const driver = drivingLabel(requirements);
  if (driver !== undefined) return listLabelled(sql, query, driver);
  if (scope.type === 'namespaces' && scope.namespaces.length <= PLACES_MAX)
    return listPlaces(sql, query, scope.namespaces);
  const conditions = new Conditions();
  if (kind !== undefined) conditions.add(`r.kind = ${conditions.value(kind)}`);
  addPlace(conditions, query, 'r');
  if (after !== undefined) {
    const place = [after.kind, after.namespace, after.parent, after.name].map((each) => conditions.value(each));
    conditions.add(`(r.kind, r.namespace, r.parent, r.name) > (${place.join(', ')})`);
  }
  for (const requirement of requirements) addLabelCondition(conditions, requirement, 'r.labels');
  const text = `SELECT ${COLUMNS} FROM resources r ${conditions.where}
    ORDER BY r.kind, r.namespace, r.parent, r.name LIMIT ${conditions.value(limit)}`;
  const rows = await sql.rows(composed<ResourceSqlRow>(text), conditions.values);
  return rows.map(toResource);
};

const addPlace = (conditions: Conditions, { scope, parent }: ResourceQuery, table: 'l' | 'r'): void => {
  if (scope.type === 'namespace') conditions.add(`${table}.namespace = ${conditions.value(scope.namespace)}`);
  if (scope.type === 'namespaces')
    conditions.add(`${table}.namespace = ANY(${conditions.value([...new Set(scope.namespaces)])}::text[])`);
  if (parent !== undefined) conditions.add(`${table}.parent = ${conditions.value(parent)}`);
};

/** Kinds in a table from one on, in order, each found by one leap. */
const kindsOf = (table: 'resources' | 'resource_labels') =>
  statement<{ readonly kind: string }>(
    `WITH RECURSIVE k (kind) AS (
       (SELECT kind FROM ${table} WHERE kind >= $1 ORDER BY kind LIMIT 1)
       UNION ALL SELECT (SELECT t.kind FROM ${table} t WHERE t.kind > k.kind ORDER BY t.kind LIMIT 1)
         FROM k WHERE k.kind IS NOT NULL)
     SELECT kind FROM k WHERE kind IS NOT NULL`,
  );
const KINDS = kindsOf('resources');
const LABELLED_KINDS = kindsOf('resource_labels');

/** Kinds in which the list may find something, in order. */
const kindsFor = async (
  sql: Queries,
  all: typeof KINDS,
  { kind, after }: ResourceQuery,
): Promise<readonly string[]> => {
  const found = kind === undefined ? await sql.rows(all, [after?.kind ?? '']) : [{ kind }];
  return found.map((row) => row.kind).filter((each) => after === undefined || each >= after.kind);
};

/** Namespaces of which each is read from its own place on; of more the planner reads a whole kind and leaves out what is not meant. */
const PLACES_MAX = 16;

/** Resources of a few namespaces: a leap to each, a kind at a time until there are enough. */
const listPlaces = async (
  sql: Queries,
  query: ResourceQuery,
  namespaces: readonly string[],
): Promise<readonly StoredResource[]> => {
  const { after, limit, parent, labels = [] } = query;
  const found: StoredResource[] = [];
  for (const kind of await kindsFor(sql, KINDS, query)) {
    const outer = new Conditions();
    const [places, most] = [outer.value([...new Set(namespaces)]), outer.value(limit - found.length)];
    const inner = new Conditions(outer.values);
    inner.add(`r.kind = ${inner.value(kind)} AND r.namespace = n.namespace`);
    if (parent !== undefined) inner.add(`r.parent = ${inner.value(parent)}`);
    if (after?.kind === kind) {
      const from = inner.value(after.namespace);
      outer.add(`n.namespace COLLATE "C" >= ${from}`);
      const place = [after.parent, after.name].map((each) => {
        return `CASE WHEN n.namespace = ${from} THEN ${inner.value(each)} ELSE '' END`;
      });
      inner.add(`(r.parent, r.name) > (${place.join(', ')})`);
    }
    for (const requirement of labels) addLabelCondition(inner, requirement, 'r.labels');
    const text = `SELECT p.* FROM unnest(${places}::text[]) AS n (namespace) CROSS JOIN LATERAL (
        SELECT ${COLUMNS} FROM resources r ${inner.where} ORDER BY r.parent, r.name LIMIT ${most}) p ${outer.where}
      ORDER BY p.namespace, p.parent, p.name LIMIT ${most}`;
    const rows = await sql.rows(composed<ResourceSqlRow>(text), outer.values);
    found.push(...rows.map(toResource));
    if (found.length >= limit) break;
  }
  return found;
};

/**
 * Walks the label table, which has the same order within a kind, from the place on where the list goes on; each resource is one
 * look-up. Left to itself the planner joins all that have the label, or looks at every place behind the last one for each.
 */
const listLabelled = async (
  sql: Queries,
  query: ResourceQuery,
  driver: DrivingLabel,
): Promise<readonly StoredResource[]> => {
  const { after, limit } = query;
  const kinds = await kindsFor(sql, LABELLED_KINDS, query);
  if (kinds.length === 0) return [];
  const outer = new Conditions();
  const [named, most] = [outer.value(kinds), outer.value(limit)];
  outer.add('l.kind = k.kind');
  outer.add(`l.label = ${outer.value(driver.key)}`);
  outer.add(`l.value = ${outer.value(driver.value)}`);
  addPlace(outer, query, 'l');
  if (after !== undefined) {
    const first = outer.value(after.kind);
    const place = [after.namespace, after.parent, after.name].map(
      (each) => `CASE WHEN k.kind = ${first} THEN ${outer.value(each)} ELSE '' END`,
    );
    outer.add(`(l.namespace, l.parent, l.name) > (${place.join(', ')})`);
  }
  const inner = new Conditions(outer.values);
  for (const column of ['kind', 'namespace', 'parent', 'name']) inner.add(`r.${column} = l.${column}`);
  for (const requirement of driver.rest) addLabelCondition(inner, requirement, 'r.labels');
  const text = `SELECT p.* FROM unnest(${named}::text[]) AS k (kind) CROSS JOIN LATERAL (
      SELECT r.* FROM resource_labels l
      CROSS JOIN LATERAL (SELECT ${COLUMNS} FROM resources r ${inner.where} LIMIT 1) r ${outer.where}
      ORDER BY l.namespace, l.parent, l.name LIMIT ${most}) p
    ORDER BY p.kind, p.namespace, p.parent, p.name LIMIT ${most}`;
  const rows = await sql.rows(composed<ResourceSqlRow>(text), outer.values);
  return rows.map(toResource);
};
