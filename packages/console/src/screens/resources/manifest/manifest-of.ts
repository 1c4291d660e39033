import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { type ResourceManifest, ResourceManifestSchema } from '@svc/api/resources';
import { mapOf } from './json.ts';
import { lowerFirst, specOfKind, storedJson } from './stored-json.ts';

/**
 * The message for what a manifest says, with the version of the resource that it changes ('' for a new one). Throws an Error
 * that names what the message cannot hold; the server's dry run says it better and comes first.
 */
export const manifestOf = (written: JsonObject, resourceVersion: string): ResourceManifest => {
  const { apiVersion = '', kind = '', metadata, spec } = written;
  const json = { apiVersion, kind, metadata: { ...mapOf(metadata), resourceVersion } };
  return fromJson(ResourceManifestSchema, { ...json, spec: wrapped(String(kind), mapOf(spec)) });
};

const wrapped = (kind: string, spec: JsonObject): JsonObject => {
  const message = specOfKind(kind);
  if (message === undefined) return { raw: { json: JSON.stringify(spec) } };
  return { [lowerFirst(kind)]: storedJson(message, spec) };
};
