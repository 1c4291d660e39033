import type {
  DependentFilter,
  ResourceDraft,
  ResourceKey,
  ResourceQuery,
  ResourceSection,
  ResourceWrites,
  StoredResource,
} from '../../contracts/index.ts';
import {
  encodeDraft,
  joinSections,
  lastValues,
  ownerUids,
  RESOURCE_COLUMNS,
  type ResourceSqlRow,
  resourceExists,
  toResource,
  toStored,
} from '../../rows/index.ts';
import type { WriteAccess } from '../access.ts';
import { type Queries, type SqlValue, statement } from '../connection/index.ts';
import { type RangeEntry, rowId } from '../reads/index.ts';
import { changeActivity, dropActivity, setActivity } from './activity/index.ts';
import { keyColumns, ResourceReadHandle } from './resource-handle.ts';
import { listResources } from './resource-list.ts';

const KEY = 'kind = $1 AND namespace = $2 AND parent = $3 AND name = $4';
const LOCK_KEY = statement('SELECT pg_advisory_xact_lock(hashtextextended($1, 1))');
const TAKEN_UID = statement(
  `SELECT 1 AS taken WHERE EXISTS (SELECT 1 FROM resources WHERE uid = $1)
   OR EXISTS (SELECT 1 FROM changes WHERE change = 'deleted' AND uid = $1)`,
);
const GET_LOCKED = statement<ResourceSqlRow>(
  `SELECT ${RESOURCE_COLUMNS} FROM resources WHERE ${KEY} FOR NO KEY UPDATE`,
);
const PREVIOUS = statement<{ row: number; version: number; labels: string; owners: string; uid: string }>(
  `SELECT row, version, labels, owners, uid FROM resources WHERE ${KEY} FOR NO KEY UPDATE`,
);
/** A row without a version yet, with its labels and owners; nothing when the key is taken. */
const INSERT = statement<{ row: number }>(
  `WITH added AS (INSERT INTO resources (${RESOURCE_COLUMNS})
     VALUES ($1,$2,$3,$4,$5,$6,$7,0,$8,$9,$10,$11,$12,$13,$14,$15,$16) ON CONFLICT DO NOTHING RETURNING row),
   labelled AS (INSERT INTO resource_labels (kind, namespace, parent, name, label, value)
     SELECT $1, $2, $3, $4, l.label, l.value FROM added, unnest($17::text[], $18::text[]) AS l (label, value)),
   owned AS (INSERT INTO resource_owners (owner_uid, resource)
     SELECT DISTINCT uid, added.row FROM added, unnest($19::text[]) AS uid)
   SELECT row FROM added`,
);
/**
 * As INSERT and NUMBER in one, for a key that is unique like the new uid in it: no row of the same key was there before, so
 * no one can have taken a version for it after ours. The transaction is numbered before the version is taken.
 */
const INSERT_ONCE = statement<{ version: number }>(
  `WITH added AS (INSERT INTO resources (${RESOURCE_COLUMNS})
     VALUES ($1,$2,$3,$4,$5,$6,$7,CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('resource_versions') END,
       $8,$9,$10,$11,$12,$13,$14,$15,$16) ON CONFLICT DO NOTHING RETURNING *),
   labelled AS (INSERT INTO resource_labels (kind, namespace, parent, name, label, value)
     SELECT $1, $2, $3, $4, l.label, l.value FROM added, unnest($17::text[], $18::text[]) AS l (label, value)),
   owned AS (INSERT INTO resource_owners (owner_uid, resource)
     SELECT DISTINCT o.uid, added.row FROM added, unnest($19::text[]) AS o (uid))
   INSERT INTO changes (change, sections, ${RESOURCE_COLUMNS}) SELECT 'created', $20, ${RESOURCE_COLUMNS} FROM added
   RETURNING version`,
);
/**
 * Row locked and transaction numbered before the version is taken, so that versions rise in commit order: the row was
 * inserted just now. One that was there before has a version, and stays as it is.
 */
const NUMBER = statement<{ version: number }>(
  `WITH numbered AS (UPDATE resources SET version = nextval('resource_versions') WHERE ${KEY} AND version = 0 RETURNING *)
   INSERT INTO changes (change, sections, ${RESOURCE_COLUMNS}) SELECT 'created', $5, ${RESOURCE_COLUMNS} FROM numbered
   RETURNING version`,
);
/** The row was locked by PREVIOUS, which numbered the transaction. */
const UPDATE = statement<{ version: number }>(
  `WITH changed AS (UPDATE resources SET api_version = $3, uid = $4, generation = $5, version = nextval('resource_versions'),
     created_at = $6, updated_at = $7, deletion_at = $8, labels = $9, annotations = $10, owners = $11, finalizers = $12,
     spec = $13, status = $14 WHERE row = $1 RETURNING *)
   INSERT INTO changes (change, sections, ${RESOURCE_COLUMNS}) SELECT 'updated', $2, ${RESOURCE_COLUMNS} FROM changed
   RETURNING version`,
);
/** The columns of a removed row, with the version and the time of its removal. */
const LOGGED = RESOURCE_COLUMNS.split(', ')
  .map((column) => ({ version: `nextval('resource_versions')`, updated_at: '$2::bigint' })[column] ?? column)
  .join(', ');
const DELETE = statement<ResourceSqlRow>(
  `WITH gone AS (DELETE FROM resources WHERE row = $1 RETURNING *)
   INSERT INTO changes (change, sections, ${RESOURCE_COLUMNS}) SELECT 'deleted', 'metadata,spec,status', ${LOGGED} FROM gone
   RETURNING ${RESOURCE_COLUMNS}`,
);
const ADD_LABELS = statement(
  `INSERT INTO resource_labels (kind, namespace, parent, name, label, value)
   SELECT $1, $2, $3, $4, l.label, l.value FROM unnest($5::text[], $6::text[]) AS l (label, value)`,
);
const DROP_LABELS = statement(
  `DELETE FROM resource_labels t USING unnest($5::text[], $6::text[]) AS l (label, value)
   WHERE t.kind = $1 AND t.label = l.label AND t.value = l.value AND t.namespace = $2 AND t.parent = $3 AND t.name = $4`,
);
const ADD_OWNERS = statement(
  `INSERT INTO resource_owners (owner_uid, resource) SELECT uid, $2 FROM unnest($1::text[]) AS uid ON CONFLICT DO NOTHING`,
);
const DROP_OWNERS = statement('DELETE FROM resource_owners WHERE owner_uid = ANY($1::text[]) AND resource = $2');
/**
 * Versions and times rise together but for what transactions overlap and for clocks that are set back: what is old up to the
 * first entry that is not goes; the newest stays.
 */
const TRIM = statement(
  `DELETE FROM changes WHERE version IN (SELECT version FROM (
     SELECT version, bool_and(updated_at < $1) OVER (ORDER BY version) AS is_old, lead(version) OVER (ORDER BY version) AS next
       FROM (SELECT version, updated_at FROM changes ORDER BY version LIMIT $2::bigint + 1) o) w
     WHERE is_old AND next IS NOT NULL)`,
);

const ALL_SECTIONS: readonly ResourceSection[] = ['metadata', 'spec', 'status'];

/** `ResourceWrites` inside one write transaction. Every write also appends the state after it to the change log. */
export class ResourceWriteHandle extends ResourceReadHandle implements ResourceWrites {
  readonly #access: WriteAccess;
  /** Uids that came from a request: unlike new ones they may be the name of a resource that was there before. */
  readonly #claimed = new Set<string>();

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  override async get(key: ResourceKey): Promise<StoredResource | undefined> {
    const { reads, sql } = this.#access;
    const columns = keyColumns(key);
    const id = rowId('resources', columns);
    let found = reads.resource(id);
    if (found === undefined && reads.isHot(id)) {
      sql.later(LOCK_KEY, [id]);
      const row = await sql.first(GET_LOCKED, columns);
      found = row === undefined ? undefined : toResource(row);
    } else found ??= await super.get(key);
    reads.sawResource(id, columns, found);
    return found;
  }

  override async list(query: ResourceQuery): Promise<readonly StoredResource[]> {
    const found = await super.list(query);
    this.#sawRange(query.limit, found, (limit) => listResources(this.#access.sql, { ...query, limit }));
    return found;
  }

  override async dependents(
    ownerUid: string,
    limit: number,
    which?: DependentFilter,
  ): Promise<readonly StoredResource[]> {
    const found = await super.dependents(ownerUid, limit, which);
    this.#sawRange(limit, found, (more) => super.dependents(ownerUid, more, which));
    return found;
  }

  override async activity(uids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await super.activity(uids);
    for (const uid of uids) this.#access.reads.sawActivity(uid, found.get(uid));
    return found;
  }

  async claimUid(uid: string): Promise<boolean> {
    const { sql } = this.#access;
    this.#claimed.add(uid);
    sql.later(LOCK_KEY, [`uid/${uid}`]);
    return (await sql.first(TAKEN_UID, [uid])) === undefined;
  }

  async insert(draft: ResourceDraft, sections: readonly ResourceSection[] = ALL_SECTIONS): Promise<StoredResource> {
    const { sql, reads, now } = this.#access;
    const columns = keyColumns(draft.key);
    const id = rowId('resources', columns);
    const json = encodeDraft(draft);
    const values = [
      ...columns,
      draft.apiVersion,
      draft.uid,
      draft.generation,
      draft.createdAt,
      now,
      ...lastValues(draft, json),
      Object.keys(draft.labels),
      Object.values(draft.labels),
      draft.owners.map((owner) => owner.uid),
    ];
    const joined = joinSections(sections);
    const numbered =
      draft.uid === draft.key.name && !this.#claimed.has(draft.uid)
        ? await sql.first(INSERT_ONCE, [...values, joined])
        : await insertAndNumber(sql, values, [...columns, joined]);
    if (numbered === undefined) {
      const read = reads.readOf(id);
      throw read !== undefined && read.seen === undefined ? reads.stale(id) : resourceExists(draft.key);
    }
    const stored = toStored(draft, numbered.version, now);
    reads.wrote(id, stored);
    return stored;
  }

  async replace(draft: ResourceDraft, expectedVersion: number, sections: readonly ResourceSection[]) {
    const { sql, now, reads } = this.#access;
    const previous = await this.#expect(draft.key, expectedVersion);
    if (previous === undefined) return undefined;
    const json = encodeDraft(draft);
    const changed = await sql.one(UPDATE, [
      previous.row,
      joinSections(sections),
      draft.apiVersion,
      draft.uid,
      draft.generation,
      draft.createdAt,
      now,
      ...lastValues(draft, json),
    ]);
    if (json.labels !== previous.labels) {
      this.#dropLabels(draft.key, previous.labels);
      this.#addLabels(draft.key, draft.labels);
    }
    if (json.owners !== previous.owners) {
      this.#dropOwners(previous);
      this.#addOwners(
        draft.owners.map((owner) => owner.uid),
        previous.row,
      );
    }
    const stored = toStored(draft, changed.version, now);
    reads.wrote(rowId('resources', keyColumns(draft.key)), stored);
    return stored;
  }

  /** The removed row as it last was, with the version of its removal. */
  async remove(key: ResourceKey, expectedVersion: number) {
    const { sql, now } = this.#access;
    const previous = await this.#expect(key, expectedVersion);
    if (previous === undefined) return undefined;
    this.#dropLabels(key, previous.labels);
    this.#dropOwners(previous);
    dropActivity(sql, previous.uid);
    return toResource(await sql.one(DELETE, [previous.row, now]));
  }

  async setActivity(uid: string, json: string): Promise<void> {
    const { sql, reads } = this.#access;
    const read = reads.activityOf(uid);
    if (read === undefined) {
      setActivity(sql, uid, json);
      return;
    }
    if (!(await changeActivity(sql, uid, { read: read.body, body: json }))) throw reads.stale(`activity/${uid}`);
    reads.sawActivity(uid, json);
  }

  async trimChanges(beforeMicros: number, limit: number): Promise<number> {
    return this.#access.sql.run(TRIM, [beforeMicros, limit]);
  }

  /** Locks the row; undefined when it is gone or has another version than the caller knows. */
  async #expect(key: ResourceKey, version: number) {
    const { sql, reads } = this.#access;
    const columns = keyColumns(key);
    const id = rowId('resources', columns);
    const previous = await sql.first(PREVIOUS, columns);
    if (previous?.version !== version) {
      if (reads.readOf(id)?.seen === version) throw reads.stale(id);
      return undefined;
    }
    reads.wrote(id);
    return previous;
  }

  #sawRange(
    limit: number,
    found: readonly StoredResource[],
    again: (limit: number) => Promise<readonly StoredResource[]>,
  ): void {
    const entries = (resources: readonly StoredResource[]): RangeEntry[] =>
      resources.map(({ key, version }) => ({ id: rowId('resources', keyColumns(key)), version }));
    this.#access.reads.sawRange({
      limit,
      found: entries(found),
      again: async (more) => entries(await again(limit + more)),
    });
  }

  #addLabels(key: ResourceKey, labels: Readonly<Record<string, string>>): void {
    const names = Object.keys(labels);
    if (names.length > 0) this.#access.sql.later(ADD_LABELS, [...keyColumns(key), names, Object.values(labels)]);
  }

  #dropLabels(key: ResourceKey, json: string): void {
    if (json === '{}') return;
    const labels = JSON.parse(json) as Record<string, string>;
    this.#access.sql.later(DROP_LABELS, [...keyColumns(key), Object.keys(labels), Object.values(labels)]);
  }

  #addOwners(uids: readonly string[], row: number): void {
    if (uids.length > 0) this.#access.sql.later(ADD_OWNERS, [uids, row]);
  }

  #dropOwners(previous: { readonly row: number; readonly owners: string }): void {
    const uids = ownerUids(previous.owners);
    if (uids.length > 0) this.#access.sql.later(DROP_OWNERS, [uids, previous.row]);
  }
}

const insertAndNumber = async (sql: Queries, values: readonly SqlValue[], numbers: readonly SqlValue[]) => {
  const [inserted, numbered] = await Promise.all([sql.first(INSERT, values), sql.first(NUMBER, numbers)]);
  return inserted === undefined ? undefined : numbered;
};
