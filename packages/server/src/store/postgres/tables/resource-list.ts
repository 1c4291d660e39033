import type { LabelRequirement, ResourceQuery, StoredResource } from '../../contracts/index.ts';
import { drivingLabel, RESOURCE_COLUMNS, type ResourceSqlRow, toResource } from '../../rows/index.ts';
import { composed, type Queries, type SqlValue } from '../connection/index.ts';

const COLUMNS = RESOURCE_COLUMNS.split(', ')
  .map((column) => `r.${column}`)
  .join(', ');

/** A condition under construction: each value becomes the next parameter. */
export class Conditions {
  readonly values: SqlValue[] = [];
  readonly #conditions: string[] = [];

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
  const conditions = new Conditions();
  const { scope, kind, parent, after, limit } = query;
  if (kind !== undefined) conditions.add(`r.kind = ${conditions.value(kind)}`);
  if (scope.type === 'namespace') conditions.add(`r.namespace = ${conditions.value(scope.namespace)}`);
  if (scope.type === 'namespaces') {
    if (scope.namespaces.length === 0) return [];
    conditions.add(`r.namespace = ANY(${conditions.value([...new Set(scope.namespaces)])}::text[])`);
  }
  if (parent !== undefined) conditions.add(`r.parent = ${conditions.value(parent)}`);
  if (after !== undefined) {
    const place = [after.kind, after.namespace, after.parent, after.name].map((each) => conditions.value(each));
    conditions.add(`(r.kind, r.namespace, r.parent, r.name) > (${place.join(', ')})`);
  }
  const requirements = query.labels ?? [];
  for (const requirement of requirements) addLabelCondition(conditions, requirement, 'r.labels');
  const driver = drivingLabel(requirements);
  if (driver !== undefined)
    conditions.add(`EXISTS (SELECT 1 FROM resource_labels l WHERE l.kind = r.kind
      AND l.label = ${conditions.value(driver.key)} AND l.value = ${conditions.value(driver.value)}
      AND l.namespace = r.namespace AND l.parent = r.parent AND l.name = r.name)`);
  const text = `SELECT ${COLUMNS} FROM resources r ${conditions.where}
    ORDER BY r.kind, r.namespace, r.parent, r.name LIMIT ${conditions.value(limit)}`;
  const rows = await sql.rows(composed<ResourceSqlRow>(text), conditions.values);
  return rows.map(toResource);
};
