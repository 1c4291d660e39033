/** Address of a resource. `parent` is the channel of a ChannelSubscription or the agent of a Session, else ''. */
export interface RecordKey {
  readonly kind: string;
  /** Full namespace name; '' for the kind Namespace itself. */
  readonly namespace: string;
  readonly parent: string;
  readonly name: string;
}

/** A reference to an owner, as it is stored. */
export interface RecordOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly controller: boolean;
  readonly blockOwnerDeletion: boolean;
}

/** A stored resource; the store adds when it was made and last written. `spec` and `status` are canonical protobuf JSON of the kind's messages. */
export interface ResourceRecord {
  readonly key: RecordKey;
  readonly apiVersion: string;
  /** Never that of another row, also of one that is gone; so a name that is the uid was never there before. */
  readonly uid: string;
  readonly generation: number;
  /** Value of the store-wide counter at the last write. */
  readonly version: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly owners: readonly RecordOwner[];
  readonly finalizers: readonly string[];
  /** Micros; set while finalizers or dependants hold a deleted resource. */
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
