import type {
  DependentFilter,
  ResourceChange,
  ResourceDraft,
  ResourceKey,
  ResourceSection,
  StoredResource,
} from '../../contracts/index.ts';
import {
  type ChangeSqlRow,
  type EncodedDraft,
  encodeDraft,
  joinSections,
  lastValues,
  ownerUids,
  parseTextMap,
  RESOURCE_COLUMNS,
  type ResourceSqlRow,
  resourceExists,
  toChange,
  toResource,
  toStored,
} from '../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../connection.ts';
import type { RecordCache } from '../records/index.ts';

const KEY = 'kind = ? AND namespace = ? AND parent = ? AND name = ?';
const GET = `SELECT ${RESOURCE_COLUMNS} FROM resources WHERE ${KEY}`;
const dependents = (condition = ''): string => `SELECT ${RESOURCE_COLUMNS} FROM resource_owners o
  CROSS JOIN resources r ON r.row = o.resource WHERE o.owner_uid = ? ${condition} ORDER BY o.resource ${LIMIT}`;
const DEPENDENTS: Readonly<Record<DependentFilter | 'all', string>> = {
  all: dependents(),
  undeleted: dependents('AND r.deletion_at = 0'),
  blocking: dependents(`AND EXISTS (SELECT 1 FROM json_each(r.owners) e
    WHERE e.value ->> 'uid' = o.owner_uid AND e.value ->> 'blockOwnerDeletion')`),
};
const CHANGES = `SELECT change, sections, ${RESOURCE_COLUMNS} FROM changes WHERE version > ? ORDER BY version ${LIMIT}`;
const OLDEST = 'SELECT version FROM changes ORDER BY version LIMIT 1';
const NEWEST = 'SELECT version FROM changes ORDER BY version DESC LIMIT 1';
const ACTIVITY = 'SELECT uid, body FROM activity WHERE uid = ?';

const PREVIOUS = `SELECT row, version, labels, owners FROM resources WHERE ${KEY}`;
const TAKEN_UID = `SELECT 1 AS taken WHERE EXISTS (SELECT 1 FROM resources WHERE uid = ?1)
  OR EXISTS (SELECT 1 FROM changes WHERE change = 'deleted' AND uid = ?1)`;
const INSERT = `INSERT INTO resources (${RESOURCE_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
  ON CONFLICT DO NOTHING`;
const UPDATE = `UPDATE resources SET api_version = ?, uid = ?, generation = ?, version = ?, created_at = ?, updated_at = ?,
  deletion_at = ?, labels = ?, annotations = ?, owners = ?, finalizers = ?, spec = ?, status = ? WHERE row = ?`;
const MARK_DELETED = 'UPDATE resources SET version = ?, updated_at = ? WHERE row = ?';
const DELETE = 'DELETE FROM resources WHERE row = ?';
const LOG = `INSERT INTO changes (change, sections, ${RESOURCE_COLUMNS}) SELECT ?, ?, ${RESOURCE_COLUMNS}
  FROM resources WHERE row = ?`;
const ADD_LABEL = 'INSERT INTO resource_labels (kind, label, value, namespace, parent, name) VALUES (?,?,?,?,?,?)';
const DROP_LABEL = `DELETE FROM resource_labels WHERE kind = ? AND label = ? AND value = ? AND namespace = ?
  AND parent = ? AND name = ?`;
const ADD_OWNER = 'INSERT OR IGNORE INTO resource_owners (owner_uid, resource) VALUES (?, ?)';
const DROP_OWNER = 'DELETE FROM resource_owners WHERE owner_uid = ? AND resource = ?';
const SET_ACTIVITY = 'INSERT INTO activity (uid, body) VALUES (?, ?) ON CONFLICT DO UPDATE SET body = excluded.body';
const DROP_ACTIVITY = 'DELETE FROM activity WHERE uid = ?';
const OLDEST_TIMES = `SELECT version, updated_at FROM changes ORDER BY version ${LIMIT}`;
const DROP_CHANGES = 'DELETE FROM changes WHERE version <= ?';

interface PreviousRow {
  readonly row: number;
  readonly version: number;
  readonly labels: string;
  readonly owners: string;
}

/** Reads of the generic table and its change log, on one connection. */
export class ResourceReadTable {
  readonly #get: Statement<ResourceSqlRow>;
  readonly #dependents: Readonly<Record<DependentFilter | 'all', Statement<ResourceSqlRow>>>;
  readonly #changes: Statement<ChangeSqlRow>;
  readonly #oldest: Statement<{ version: number }>;
  readonly #newest: Statement<{ version: number }>;
  readonly #activity: Statement<{ uid: string; body: string }>;
  readonly #cache: RecordCache | undefined;
  readonly #isWriter: boolean;

  /** `cache` only where the connection sees exactly what is committed, or (`isWriter`) the group that is being written. */
  constructor(connection: Connection, cache?: RecordCache, isWriter = false) {
    this.#cache = cache;
    this.#isWriter = isWriter;
    this.#get = connection.statement(GET);
    this.#dependents = {
      all: connection.statement(DEPENDENTS.all),
      undeleted: connection.statement(DEPENDENTS.undeleted),
      blocking: connection.statement(DEPENDENTS.blocking),
    };
    this.#changes = connection.statement(CHANGES);
    this.#oldest = connection.statement(OLDEST);
    this.#newest = connection.statement(NEWEST);
    this.#activity = connection.statement(ACTIVITY);
  }

  get(key: ResourceKey): StoredResource | undefined {
    const known = this.#isWriter ? this.#cache?.newest(key) : this.#cache?.committed(key);
    if (known !== undefined) return known;
    const row = this.#get.get(key.kind, key.namespace, key.parent, key.name);
    if (row === undefined) return undefined;
    const record = toResource(row);
    this.#cache?.offer(record);
    return record;
  }

  /** The group under way wrote the key. */
  wrote(key: ResourceKey, record?: StoredResource): void {
    this.#cache?.wrote(key, record);
  }

  /** Something was rolled back. */
  doubt(): void {
    this.#cache?.doubt();
  }

  dependents(ownerUid: string, limit: number, which: DependentFilter | 'all'): StoredResource[] {
    return this.#dependents[which].all(ownerUid, limit).map(toResource);
  }

  changes(after: number, limit: number): ResourceChange[] {
    return this.#changes.all(after, limit).map(toChange);
  }

  versionRange(): { readonly oldest: number; readonly newest: number } {
    return { oldest: this.#oldest.get()?.version ?? 1, newest: this.newestVersion() };
  }

  newestVersion(): number {
    return this.#newest.get()?.version ?? 0;
  }

  activity(uids: readonly string[]): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const uid of uids) {
      const body = this.#cache?.activity(uid) ?? this.#readActivity(uid);
      if (body !== null) found.set(uid, body);
    }
    return found;
  }

  /** The group under way writes or removes the activity. */
  wroteActivity(uid: string): void {
    this.#cache?.wroteActivity(uid);
  }

  #readActivity(uid: string): string | null {
    if (this.#cache?.activity(uid) === null) return null;
    const body = this.#activity.get(uid)?.body ?? null;
    this.#cache?.offerActivity(uid, body);
    return body;
  }
}

/** Writes of the generic table: each also appends the state after it to the change log. */
export class ResourceWriteTable {
  readonly #reads: ResourceReadTable;
  readonly #previous: Statement<PreviousRow>;
  readonly #takenUid: Statement<{ taken: number }>;
  readonly #insert: Statement;
  readonly #update: Statement;
  readonly #markDeleted: Statement;
  readonly #delete: Statement;
  readonly #log: Statement;
  readonly #addLabel: Statement;
  readonly #dropLabel: Statement;
  readonly #addOwner: Statement;
  readonly #dropOwner: Statement;
  readonly #setActivity: Statement;
  readonly #dropActivity: Statement;
  readonly #oldestTimes: Statement<{ version: number; updated_at: number }>;
  readonly #dropChanges: Statement;
  /** Last version given out; unknown after a rollback. */
  #lastVersion: number | undefined;

  constructor(connection: Connection, reads: ResourceReadTable) {
    this.#reads = reads;
    this.#previous = connection.statement(PREVIOUS);
    this.#takenUid = connection.statement(TAKEN_UID);
    this.#insert = connection.statement(INSERT);
    this.#update = connection.statement(UPDATE);
    this.#markDeleted = connection.statement(MARK_DELETED);
    this.#delete = connection.statement(DELETE);
    this.#log = connection.statement(LOG);
    this.#addLabel = connection.statement(ADD_LABEL);
    this.#dropLabel = connection.statement(DROP_LABEL);
    this.#addOwner = connection.statement(ADD_OWNER);
    this.#dropOwner = connection.statement(DROP_OWNER);
    this.#setActivity = connection.statement(SET_ACTIVITY);
    this.#dropActivity = connection.statement(DROP_ACTIVITY);
    this.#oldestTimes = connection.statement(OLDEST_TIMES);
    this.#dropChanges = connection.statement(DROP_CHANGES);
  }

  /** Undefined after a rollback until the next write. */
  get lastVersion(): number | undefined {
    return this.#lastVersion;
  }

  /** Called after every rollback, also of a savepoint. */
  forgetVersion(): void {
    this.#lastVersion = undefined;
    this.#reads.doubt();
  }

  /** There is one writer at a time: what is free now stays free until this transaction ends. */
  isUidFree(uid: string): boolean {
    return this.#takenUid.get(uid) === undefined;
  }

  insert(draft: ResourceDraft, sections: readonly ResourceSection[], now: number): StoredResource {
    const version = this.#nextVersion();
    const { key } = draft;
    this.#reads.wrote(key);
    const json = encodeDraft(draft);
    const row = this.#insert.insertNew(
      key.kind,
      key.namespace,
      key.parent,
      key.name,
      draft.apiVersion,
      draft.uid,
      draft.generation,
      version,
      draft.createdAt,
      now,
      ...lastValues(draft, json),
    );
    if (row === undefined) throw resourceExists(key);
    this.#lastVersion = version;
    if (json.labels !== '{}') this.#addLabels(key, draft.labels);
    for (const owner of draft.owners) this.#addOwner.run(owner.uid, row);
    this.#log.run('created', joinSections(sections), row);
    const stored = toStored(draft, version, now);
    this.#reads.wrote(key, stored);
    return stored;
  }

  /** Undefined when the row is gone or has another version. */
  replace(
    draft: ResourceDraft,
    expectedVersion: number,
    write: { readonly sections: readonly ResourceSection[]; readonly now: number },
  ): StoredResource | undefined {
    const previous = this.#expect(draft.key, expectedVersion);
    if (previous === undefined) return undefined;
    const version = this.#nextVersion();
    const json = encodeDraft(draft);
    this.#update.run(
      draft.apiVersion,
      draft.uid,
      draft.generation,
      version,
      draft.createdAt,
      write.now,
      ...lastValues(draft, json),
      previous.row,
    );
    this.#lastVersion = version;
    this.#changeLabels(draft, previous, json);
    if (json.owners !== previous.owners) this.#changeOwners(draft, previous);
    this.#log.run('updated', joinSections(write.sections), previous.row);
    const stored = toStored(draft, version, write.now);
    this.#reads.wrote(draft.key, stored);
    return stored;
  }

  /** The removed row as it last was, with the version of its removal. */
  remove(key: ResourceKey, expectedVersion: number, now: number): StoredResource | undefined {
    const previous = this.#expect(key, expectedVersion);
    if (previous === undefined) return undefined;
    const version = this.#nextVersion();
    this.#markDeleted.run(version, now, previous.row);
    this.#lastVersion = version;
    this.#log.run('deleted', 'metadata,spec,status', previous.row);
    const last = this.#reads.get(key);
    if (previous.labels !== '{}') this.#dropLabels(key, parseTextMap(previous.labels));
    for (const uid of ownerUids(previous.owners)) this.#dropOwner.run(uid, previous.row);
    if (last !== undefined) {
      this.#reads.wroteActivity(last.uid);
      this.#dropActivity.run(last.uid);
    }
    this.#delete.run(previous.row);
    return last;
  }

  setActivity(uid: string, json: string): void {
    this.#reads.wroteActivity(uid);
    this.#setActivity.run(uid, json);
  }

  /** Versions and times rise together, so the old entries are a prefix; the newest entry always stays. */
  trimChanges(beforeMicros: number, limit: number): number {
    const oldest = this.#oldestTimes.all(limit + 1);
    const newest = this.#reads.newestVersion();
    const old = oldest.slice(0, limit).filter((row) => row.updated_at < beforeMicros && row.version < newest);
    const last = old.at(-1);
    return last === undefined ? 0 : this.#dropChanges.run(last.version);
  }

  #nextVersion(): number {
    return (this.#lastVersion ?? this.#reads.newestVersion()) + 1;
  }

  #expect(key: ResourceKey, version: number): PreviousRow | undefined {
    const previous = this.#previous.get(key.kind, key.namespace, key.parent, key.name);
    if (previous?.version !== version) return undefined;
    this.#reads.wrote(key);
    return previous;
  }

  #changeLabels(draft: ResourceDraft, previous: PreviousRow, json: EncodedDraft): void {
    if (json.labels === previous.labels) return;
    const before = parseTextMap(previous.labels);
    this.#dropLabels(draft.key, labelsWithout(before, draft.labels));
    this.#addLabels(draft.key, labelsWithout(draft.labels, before));
  }

  #addLabels(key: ResourceKey, labels: Readonly<Record<string, string>>): void {
    for (const [label, value] of Object.entries(labels))
      this.#addLabel.run(key.kind, label, value, key.namespace, key.parent, key.name);
  }

  #dropLabels(key: ResourceKey, labels: Readonly<Record<string, string>>): void {
    for (const [label, value] of Object.entries(labels))
      this.#dropLabel.run(key.kind, label, value, key.namespace, key.parent, key.name);
  }

  #changeOwners(draft: ResourceDraft, previous: PreviousRow): void {
    for (const uid of ownerUids(previous.owners)) this.#dropOwner.run(uid, previous.row);
    for (const owner of draft.owners) this.#addOwner.run(owner.uid, previous.row);
  }
}

/** Labels of one map that the other lacks or has with another value. */
const labelsWithout = (
  labels: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(labels).filter(([label, value]) => others[label] !== value));
