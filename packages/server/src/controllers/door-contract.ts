import type { Message } from '@bufbuild/protobuf';
import { namespaceKey, resourceNotFound, type SentHolders, wantedHolders } from '../resources/index.ts';
import type { ReadTx, ResourceKey, StoredOwner, StoredResource } from '../store/contracts/index.ts';
import type { DesiredResource, WriteOrigin } from './contract.ts';

/** What of a ResourceMeta is written. */
interface DoorMetadata {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly ownerReferences: readonly StoredOwner[];
  readonly finalizers: readonly string[];
  readonly resourceVersion: string;
}

/** A whole resource as a request carries it; metadata that the server sets is ignored. */
export interface WholeResource {
  readonly metadata?: DoorMetadata | undefined;
  readonly spec?: Message | undefined;
  /** What the body of the request says of owners and finalizers, where it is known. */
  readonly sent?: SentHolders | undefined;
}

export interface DoorAddress {
  readonly key: ResourceKey;
  /** Records that are not meant count as missing. */
  readonly keep?: (record: StoredResource) => boolean;
}

export interface DoorQuestion {
  readonly namespace: string;
  readonly pageSize: number;
  readonly pageToken: string;
  readonly labelSelector: string;
  readonly metadataOnly: boolean;
  readonly keep?: (record: StoredResource) => boolean;
}

export interface DoorPage {
  readonly records: readonly StoredResource[];
  /** '' at the end. */
  readonly nextPageToken: string;
}

/** Upsert, read, delete and list of one kind in one namespace, as the operations of the gateway share them. */
export interface KindDoor {
  /** Creates, or replaces spec, labels and annotations; honours the version in the metadata. */
  upsert(origin: WriteOrigin, key: ResourceKey, resource: WholeResource): Promise<StoredResource>;
  /** Throws NAMESPACE_NOT_FOUND, `<KIND>_NOT_FOUND`. */
  read(address: DoorAddress): Promise<StoredResource>;
  /** Throws as `read`, and what the pipeline refuses. */
  remove(origin: WriteOrigin, address: DoorAddress): Promise<void>;
  /** One page by name. Throws NAMESPACE_NOT_FOUND, PAGE_TOKEN_INVALID, FIELD_INVALID. */
  list(question: DoorQuestion): Promise<DoorPage>;
}

/** What a request with a whole resource wants: its spec, labels and annotations, and the owners and finalizers that it says. */
export const desiredOf = (resource: WholeResource & { readonly spec: Message }): DesiredResource => {
  const { metadata, spec, sent } = resource;
  const { labels = {}, annotations = {} } = metadata ?? {};
  return { spec, labels, annotations, ...wantedHolders(metadata, sent) };
};

/** Throws NAMESPACE_NOT_FOUND for a namespace that has no record. */
export const requireNamespace = async (reads: Pick<ReadTx, 'resources'>, namespace: string): Promise<void> => {
  const key = namespaceKey(namespace);
  if ((await reads.resources.get(key)) === undefined) throw resourceNotFound(key);
};
