import { type DescMessage, type JsonObject, type JsonValue, type MessageShape, toJson } from '@bufbuild/protobuf';
import type { ResourceMeta } from '@svc/api/resources';
import { age, creationMs } from '../terminal/index.ts';
import { literalSpec, literalValue } from './literal-braces.ts';

const SERVER_OWNED = ['uid', 'generation', 'resourceVersion', 'deletionTimestamp'];

/** A resource in the form of manifests, status included: apiVersion, kind, metadata, spec, status. */
export const resourceJson = <D extends DescMessage>(schema: D, message: MessageShape<D>): JsonObject => {
  const json = toJson(schema, message, { alwaysEmitImplicit: true });
  const object: JsonObject = typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};
  return { apiVersion: 'svc/v1', kind: schema.name, ...object };
};

/** What one would write to create the same again: no status, nothing that the system decides, no empty fields (PL-1.1). */
export const plainManifestOf = (json: JsonObject): JsonObject => {
  const metadata = Object.entries(isObject(json['metadata']) ? json['metadata'] : {})
    .map(([field, value]): [string, JsonValue] => [field, withoutSystemKeys(value)])
    .filter(([field, value]) => !SERVER_OWNED.includes(field) && !isEmpty(value));
  const spec = Object.entries(isObject(json['spec']) ? json['spec'] : {}).filter(([, value]) => !isEmpty(value));
  return {
    apiVersion: json['apiVersion'] ?? 'svc/v1',
    kind: json['kind'] ?? '',
    metadata: Object.fromEntries(metadata),
    spec: Object.fromEntries(spec),
  };
};

/** Labels, annotations and finalizers of the system stay when they are left out, and no other may bring them (API-1.3). */
const withoutSystemKeys = (value: JsonValue): JsonValue => {
  const isSystem = (key: JsonValue): boolean => typeof key === 'string' && key.startsWith('svc/');
  if (Array.isArray(value)) return value.filter((item) => !isSystem(item));
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !isSystem(key))) : value;
};

/** As plainManifestOf, for readers that put variables in: braces that are no variables stand in raw blocks. */
export const manifestOf = (json: JsonObject): JsonObject => {
  const plain = plainManifestOf(json);
  const { kind, metadata = {}, spec } = plain;
  return {
    ...plain,
    metadata: literalValue(metadata),
    spec: literalSpec(typeof kind === 'string' ? kind : '', isObject(spec) ? spec : {}),
  };
};

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Age by the time in the uid, which is that of creation. */
export const ageOf = (metadata: ResourceMeta | undefined, nowMs: number): string => {
  const created = creationMs(metadata?.uid ?? '');
  return created === undefined ? '-' : age(created, nowMs);
};

/** `a=b,c=d`, or a dash. */
export const labelText = (labels: Readonly<Record<string, string>> | undefined): string => {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? '-' : pairs.join(',');
};
