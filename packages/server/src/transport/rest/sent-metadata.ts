import { type ResourceMeta, ResourceMetaSchema } from '@svc/api/resources';
import type { SentMetadata } from '../../auth/contract.ts';
import type { JsonDecoder } from '../codec/index.ts';

type Json = Record<string, unknown>;

/** Key under which a binder leaves it next to the JSON of the request; no decoder sees symbols. */
const SENT = Symbol('sent metadata');

/** Notes metadata that the request message has no field for; it was checked before. */
export const noteSentMetadata = (own: Json, metadata: Json, decoder: JsonDecoder): void => {
  const decoded = decoder.decode(ResourceMetaSchema, metadata) as ResourceMeta;
  const { resourceVersion, finalizers, ownerReferences } = decoded;
  const sent: SentMetadata = {
    resourceVersion,
    finalizers: metadata['finalizers'] === undefined ? undefined : finalizers,
    owners: says(metadata, ['ownerReferences', 'owner_references']) ? ownerReferences.map(({ uid }) => uid) : undefined,
  };
  Object.defineProperty(own, SENT, { value: sent });
};

const says = (metadata: Json, names: readonly string[]): boolean => names.some((name) => metadata[name] !== undefined);

/** What a binder noted; undefined for requests that have a field for everything. */
export const sentMetadataOf = (json: Json): SentMetadata | undefined =>
  (json as { readonly [SENT]?: SentMetadata })[SENT];
