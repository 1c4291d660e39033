import type { LabelRequirement, ResourceQuery, StoredResource } from '../../contracts/index.ts';
import {
  type DrivingLabel,
  drivingLabel,
  RESOURCE_COLUMNS,
  type ResourceSqlRow,
  toResource,
} from '../../rows/index.ts';
import { composed, listing, type Queries, type SqlValue, type Statement, statement } from '../connection/index.ts';

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
  const { scope } = query;
  if (scope.type === 'namespaces' && scope.namespaces.length === 0) return [];
  const driver = drivingLabel(query.labels ?? []);
  if (driver !== undefined) return listLabelled(sql, query, driver);
  if (scope.type === 'namespaces') return listPlaces(sql, query, [...new Set(scope.namespaces)]);
  return listInOrder(sql, query);
};

/** Lists of one kind in one namespace by their texts: with or without a parent and a place where they continue. */
const preparedLists = new Map<string, Statement<ResourceSqlRow>>();

/** A prompt asks for such a list at each step; to plan it takes longer than to run it. */
const preparedList = (text: string): Statement<ResourceSqlRow> => {
  const known = preparedLists.get(text) ?? listing<ResourceSqlRow>(text);
  preparedLists.set(text, known);
  return known;
};

/** Walks the key order and leaves out what is not meant. */
const listInOrder = async (sql: Queries, query: ResourceQuery): Promise<readonly StoredResource[]> => {
  const { kind, after, limit, labels = [] } = query;
  const conditions = new Conditions();
  if (kind !== undefined) conditions.add(`r.kind = ${conditions.value(kind)}`);
  addPlace(conditions, query, 'r');
  if (after !== undefined) {
    const place = [after.kind, after.namespace, after.parent, after.name].map((each) => conditions.value(each));
    conditions.add(`(r.kind, r.namespace, r.parent, r.name) > (${place.join(', ')})`);
  }
  for (const requirement of labels) addLabelCondition(conditions, requirement, 'r.labels');
  const text = `SELECT ${COLUMNS} FROM resources r ${conditions.where}
    ORDER BY r.kind, r.namespace, r.parent, r.name LIMIT ${conditions.value(limit)}`;
  const isPrepared = kind !== undefined && query.scope.type === 'namespace' && labels.length === 0;
  const rows = await sql.rows(isPrepared ? preparedList(text) : composed<ResourceSqlRow>(text), conditions.values);
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

/** Namespaces of which each is always read from its own place on. */
const FEW_PLACES = 16;
/** Rows that are skipped in the time of one leap to a place that may have none. */
const ROWS_PER_LEAP = 5;
/** Rows counted at most to find out which is cheaper. */
const COUNTED_MAX = 20_000;
const IS_BEYOND = statement<{ readonly found: number }>(
  'SELECT 1 AS found FROM resources WHERE kind = $1 OFFSET $2 LIMIT 1',
);

/** False for a kind of which there is so little that it is walked through sooner. */
const areLeapsCheaper = async (sql: Queries, kind: string, places: number): Promise<boolean> =>
  places <= FEW_PLACES ||
  (await sql.first(IS_BEYOND, [kind, Math.min(places * ROWS_PER_LEAP, COUNTED_MAX)])) !== undefined;

/** Resources of some namespaces, a kind at a time until there are enough. */
const listPlaces = async (
  sql: Queries,
  query: ResourceQuery,
  places: readonly string[],
): Promise<readonly StoredResource[]> => {
  const { after, ...rest } = query;
  const found: StoredResource[] = [];
  for (const kind of await kindsFor(sql, KINDS, query)) {
    const from = after?.kind === kind ? { after } : {};
    const wanted = { ...rest, ...from, kind, limit: query.limit - found.length };
    const isLeaping = await areLeapsCheaper(sql, kind, places.length);
    found.push(...(isLeaping ? await leapToPlaces(sql, wanted, places) : await listInOrder(sql, wanted)));
    if (found.length >= query.limit) break;
  }
  return found;
};

/** Resources of one kind: a leap to each namespace in order, up to the one with which there are enough. */
const leapToPlaces = async (
  sql: Queries,
  { kind, after, limit, parent, labels = [] }: ResourceQuery & { readonly kind: string },
  namespaces: readonly string[],
): Promise<readonly StoredResource[]> => {
  const outer = new Conditions();
  const [places, most] = [outer.value(namespaces), outer.value(limit)];
  const inner = new Conditions(outer.values);
  inner.add(`r.kind = ${inner.value(kind)} AND r.namespace = n.namespace`);
  if (parent !== undefined) inner.add(`r.parent = ${inner.value(parent)}`);
  if (after !== undefined) {
    const from = inner.value(after.namespace);
    outer.add(`place COLLATE "C" >= ${from}`);
    const place = [after.parent, after.name].map(
      (each) => `CASE WHEN n.namespace = ${from} THEN ${inner.value(each)} ELSE '' END`,
    );
    inner.add(`(r.parent, r.name) > (${place.join(', ')})`);
  }
  for (const requirement of labels) addLabelCondition(inner, requirement, 'r.labels');
  // The planner knows the order of the places, so that it stops at the last one that is needed.
  const text = `SELECT p.* FROM (SELECT place COLLATE "C" AS namespace FROM unnest(${places}::text[]) AS place ${outer.where}
      ORDER BY 1) AS n CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM resources r ${inner.where} ORDER BY r.parent, r.name LIMIT ${most}) p
    ORDER BY n.namespace, p.parent, p.name LIMIT ${most}`;
  return (await sql.rows(composed<ResourceSqlRow>(text), outer.values)).map(toResource);
};

/**
 * Walks the label table, which has the same order within a kind, from the place on where the list continues; each
 * resource is one look-up. Left to itself the planner joins all that have the label, or looks at every place behind the
 * last one for each.
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
