import { toJson } from '@bufbuild/protobuf';
import { ResourceMetaSchema } from '@svc/api/resources';
import type { JsonMap } from '../canonical-json.ts';
import type { ManifestResource } from './manifest-document.ts';

/** A resource as a manifest in stored form: short forms resolved, empty values left out. */
export const canonicalDocument = (resource: ManifestResource): JsonMap => {
  const { apiVersion, key, row, spec, metadata } = resource;
  return {
    apiVersion,
    kind: key.kind,
    metadata: toJson(ResourceMetaSchema, metadata) as JsonMap,
    spec:
      row === undefined
        ? (JSON.parse((spec as unknown as { readonly json: string }).json) as JsonMap)
        : (toJson(row.spec, spec) as JsonMap),
  };
};
