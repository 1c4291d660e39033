import type { ResourceMeta } from '@svc/api/resources';

/** What a manifest says of the resource itself, in addition to its spec. */
export type KeptMetadata = Pick<
  ResourceMeta,
  'name' | 'namespace' | 'labels' | 'annotations' | 'ownerReferences' | 'finalizers' | 'resourceVersion'
>;

/**
 * The metadata for a manifest that changes only a part of a stored resource. A manifest with a version replaces owners and
 * finalizers, so those that are left out would be removed.
 */
export const keptMetadata = (stored: ResourceMeta | undefined): KeptMetadata => {
  const { name = '', namespace = '', labels = {}, annotations = {}, resourceVersion = '' } = stored ?? {};
  const { ownerReferences = [], finalizers = [] } = stored ?? {};
  return { name, namespace, labels, annotations, ownerReferences, finalizers, resourceVersion };
};
