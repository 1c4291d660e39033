import type {
  DependentFilter,
  ResourceKey,
  ResourceQuery,
  ResourceReads,
  StoredResource,
} from '../../contracts/index.ts';
import { type ChangeSqlRow, RESOURCE_COLUMNS, type ResourceSqlRow, toChange, toResource } from '../../rows/index.ts';
import type { Access } from '../access.ts';
import { statement } from '../connection/index.ts';
import { readActivity } from './activity/index.ts';
import { listResources } from './resource-list.ts';

const GET = statement<ResourceSqlRow>(
  `SELECT ${RESOURCE_COLUMNS} FROM resources WHERE kind = $1 AND namespace = $2 AND parent = $3 AND name = $4`,
);
const COUNT = statement<{ found: number }>(
  'SELECT count(*) AS found FROM (SELECT 1 FROM resources WHERE kind = $1 AND namespace = $2 LIMIT $3) r',
);
const dependents = (condition = '') =>
  statement<ResourceSqlRow>(
    `SELECT ${RESOURCE_COLUMNS} FROM resources WHERE row IN (SELECT resource FROM resource_owners WHERE owner_uid = $1)
     ${condition} ORDER BY row LIMIT $2`,
  );
const DEPENDENTS = {
  all: dependents(),
  undeleted: dependents('AND deletion_at = 0'),
  blocking: dependents(`AND EXISTS (SELECT 1 FROM json_array_elements(owners::json) e
    WHERE e ->> 'uid' = $1 AND e ->> 'blockOwnerDeletion' = 'true')`),
};
const CHANGES = statement<ChangeSqlRow>(
  `SELECT change, sections, ${RESOURCE_COLUMNS} FROM changes WHERE version > $1 AND version <= $2 ORDER BY version LIMIT $3`,
);
const OLDEST = statement<{ version: number }>('SELECT version FROM changes ORDER BY version LIMIT 1');

/** A key as the columns kind, namespace, parent, name. */
export const keyColumns = (key: ResourceKey): [string, string, string, string] => [
  key.kind,
  key.namespace,
  key.parent,
  key.name,
];

/** `ResourceReads`: of one snapshot, or each read alone. */
export class ResourceReadHandle implements ResourceReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async get(key: ResourceKey): Promise<StoredResource | undefined> {
    const row = await this.#access.sql.first(GET, keyColumns(key));
    return row === undefined ? undefined : toResource(row);
  }

  async list(query: ResourceQuery): Promise<readonly StoredResource[]> {
    return listResources(this.#access.sql, query);
  }

  async count(kind: string, namespace: string, limit: number): Promise<number> {
    return (await this.#access.sql.one(COUNT, [kind, namespace, limit])).found;
  }

  async dependents(ownerUid: string, limit: number, which?: DependentFilter): Promise<readonly StoredResource[]> {
    return (await this.#access.sql.rows(DEPENDENTS[which ?? 'all'], [ownerUid, limit])).map(toResource);
  }

  async changes(after: number, limit: number) {
    const last = await this.#access.frontiers.changes(true);
    if (last <= after) return [];
    return (await this.#access.sql.rows(CHANGES, [after, last, limit])).map(toChange);
  }

  async versionRange() {
    const newest = await this.#access.frontiers.changes(false);
    const oldest = (await this.#access.sql.first(OLDEST))?.version ?? 1;
    return { oldest, newest };
  }

  async activity(uids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return readActivity(this.#access.sql, uids);
  }
}
