import type { SentMetadata } from '../../auth/contract.ts';
import type { Json } from './body-form.ts';
import { isJsonObject } from './json-object.ts';

/** Key under which the form of a body leaves it next to the JSON of the request; no decoder sees symbols. */
const SENT = Symbol('sent metadata');

/**
 * Notes metadata for which the request message has no field, or in which a list that is empty reads as left out. What is not a text or
 * list is for the decoder to refuse.
 */
export const noteSentMetadata = (own: Json, metadata: Json): void => {
  const said = (...names: readonly string[]): unknown => names.map((name) => metadata[name]).find(isSaid);
  const sent: SentMetadata = {
    resourceVersion: textOf(said('resourceVersion', 'resource_version')),
    finalizers: listOf(said('finalizers'))?.map(textOf),
    owners: listOf(said('ownerReferences', 'owner_references'))?.map((owner) =>
      isJsonObject(owner) ? textOf(owner['uid']) : '',
    ),
  };
  Object.defineProperty(own, SENT, { value: sent });
};

const isSaid = (value: unknown): boolean => value !== undefined && value !== null;
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const listOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

/** What the form of a body noted; undefined for requests that have a field for everything. */
export const sentMetadataOf = (json: Json): SentMetadata | undefined =>
  (json as { readonly [SENT]?: SentMetadata })[SENT];
