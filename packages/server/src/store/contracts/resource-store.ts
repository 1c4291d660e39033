import type { LabelRequirement, RecordKey, RecordOwner, ResourceRecord } from '../../resources/index.ts';

export type { LabelRequirement } from '../../resources/index.ts';

export type ResourceKey = RecordKey;
export type StoredOwner = RecordOwner;

/** One row of the table that holds resources of every kind; times in micros. */
export interface StoredResource extends ResourceRecord {
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** What a write hands in; the store assigns `version`, and `updatedAt` from its clock. */
export type ResourceDraft = Omit<StoredResource, 'version' | 'updatedAt'>;

export interface ResourceQuery {
  /** Absent = all kinds. */
  readonly kind?: string;
  readonly scope:
    | { readonly type: 'namespace'; readonly namespace: string }
    /** These namespaces and nothing else; the caller resolved descendants. */
    | { readonly type: 'namespaces'; readonly namespaces: readonly string[] }
    | { readonly type: 'all' };
  readonly parent?: string;
  readonly labels?: readonly LabelRequirement[];
  /** Exclusive start in order (kind, namespace, parent, name), byte-wise ascending. */
  readonly after?: ResourceKey;
  readonly limit: number;
}

export type ResourceChangeKind = 'created' | 'updated' | 'deleted';
export type ResourceSection = 'metadata' | 'spec' | 'status';

export interface ResourceChange {
  readonly version: number;
  readonly change: ResourceChangeKind;
  readonly sections: readonly ResourceSection[];
  readonly at: number;
  /** State after the write; of a delete the last state. */
  readonly resource: StoredResource;
}

/** Dependants whose deletion has not begun; those that name the owner with `blockOwnerDeletion`. */
export type DependentFilter = 'undeleted' | 'blocking';

export interface ResourceReads {
  get(key: ResourceKey): Promise<StoredResource | undefined>;
  list(query: ResourceQuery): Promise<readonly StoredResource[]>;
  /**
   * How many resources of a kind a namespace has, counted up to `limit`. What others write at the same moment may be missing:
   * a function that keeps a limit by it waits in line before (`WriteTx.inLine`).
   */
  count(kind: string, namespace: string, limit: number): Promise<number>;
  /** Resources that name this uid as owner in the order of their creation, at most `limit`; absent `which` = every one. */
  dependents(ownerUid: string, limit: number, which?: DependentFilter): Promise<readonly StoredResource[]>;
  /** Changes with version > after in version order; every version at or below the last one returned is final. */
  changes(after: number, limit: number): Promise<readonly ResourceChange[]>;
  /** Newest version below which no write is unfinished, and the oldest version still in the change log. */
  versionRange(): Promise<{ readonly oldest: number; readonly newest: number }>;
  /** Fast-moving facts kept next to resources, by uid: no version, no watch event. JSON text. */
  activity(uids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

export interface ResourceWrites extends ResourceReads {
  /**
   * True when no resource has this uid, and none had it that the change log still remembers. Other transactions that ask for the
   * same uid wait for the end of this one, so that it is given once.
   */
  claimUid(uid: string): Promise<boolean>;
  /** Fails with Fault ALREADY_EXISTS when the key is taken. Returns the row as stored. */
  insert(draft: ResourceDraft, sections?: readonly ResourceSection[]): Promise<StoredResource>;
  /** Compare-and-swap on `expectedVersion`; undefined when the row is gone or has another version. */
  replace(
    draft: ResourceDraft,
    expectedVersion: number,
    sections: readonly ResourceSection[],
  ): Promise<StoredResource | undefined>;
  /** Removes the row and logs the change; undefined when gone or another version. */
  remove(key: ResourceKey, expectedVersion: number): Promise<StoredResource | undefined>;
  setActivity(uid: string, json: string): Promise<void>;
  /** Drops change-log entries older than `beforeMicros`, at most `limit`; returns how many went. */
  trimChanges(beforeMicros: number, limit: number): Promise<number>;
}
