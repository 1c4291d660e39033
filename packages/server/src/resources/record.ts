/** A stored resource as this folder sees it; the store's StoredResource has the same shape. */
export interface RecordKey {
  readonly kind: string;
  readonly namespace: string;
  readonly parent: string;
  readonly name: string;
}

export interface RecordOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
}

export interface ResourceRecord {
  readonly key: RecordKey;
  readonly apiVersion: string;
  readonly uid: string;
  readonly generation: number;
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly RecordOwner[];
  readonly finalizers: readonly string[];
  readonly deletionTimestamp?: number;
  readonly spec: string;
  readonly status: string;
}

/** Key of a resource of a kind without parent. */
export const recordKey = (kind: string, namespace: string, name: string): RecordKey => ({
  kind,
  namespace,
  parent: '',
  name,
});

/** Key of a namespace record: its full name, in no namespace. */
export const namespaceKey = (name: string): RecordKey => recordKey('Namespace', '', name);

/** `Kind/ns/name`, with the parent before the name where the kind has one; for audit records, queues and logs. */
export const formatKey = (key: RecordKey): string =>
  [key.kind, key.namespace, key.parent, key.name].filter((part) => part !== '').join('/');
