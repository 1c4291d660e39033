import { toJson } from '@bufbuild/protobuf';
import type { JsonMap } from '../canonical-json.ts';
import type { ManifestResource } from './manifest-document.ts';

/** A resource as a manifest in stored form: conveniences resolved, nothing that is empty. */
export const canonicalDocument = (resource: ManifestResource): JsonMap => {
  const { apiVersion, key, row, spec, metadata } = resource;
  const { labels, annotations, finalizers } = metadata;
  const filled = (name: string, value: JsonMap | readonly string[]): JsonMap =>
    Object.keys(value).length === 0 ? {} : { [name]: value };
  return {
    apiVersion,
    kind: key.kind,
    metadata: {
      name: key.name,
      ...(key.namespace === '' ? {} : { namespace: key.namespace }),
      ...filled('labels', labels),
      ...filled('annotations', annotations),
      ...filled('finalizers', finalizers),
    },
    spec:
      row === undefined
        ? (JSON.parse((spec as unknown as { readonly json: string }).json) as JsonMap)
        : (toJson(row.spec, spec) as JsonMap),
  };
};
