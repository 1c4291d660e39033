import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isMap, mapOf } from './json.ts';

const SERVER_OWNED = ['uid', 'generation', 'resourceVersion', 'deletionTimestamp'];

/** The JSON of a generic resource without the name of its kind around spec and status, as manifests have it. */
export const manifestForm = (resource: JsonObject): JsonObject => ({
  ...resource,
  spec: inner(mapOf(resource['spec'])),
  status: inner(mapOf(resource['status'])),
});

/** What people write to make the same resource again; keys of the system stay when they are left out. */
export const writtenPart = (resource: JsonObject): JsonObject => {
  const { apiVersion = 'svc/v1', kind = '', metadata, spec } = manifestForm(resource);
  const written = Object.entries(mapOf(metadata))
    .map(([field, value]): [string, JsonValue] => [field, withoutSystemKeys(value)])
    .filter(([field, value]) => !SERVER_OWNED.includes(field) && !isEmpty(value));
  // A custom kind holds its spec as it was written: a text in it is a text, whatever its name.
  const isCustom = mapOf(resource['spec'])['raw'] !== undefined;
  const shown = isCustom ? mapOf(spec) : withParsedJson(mapOf(spec));
  return { apiVersion, kind, metadata: Object.fromEntries(written), spec: shown };
};

/** The only member of an object; custom kinds hold their JSON as text. */
const inner = (part: JsonObject): JsonObject => {
  const [[name, value] = []] = Object.entries(part);
  if (name !== 'raw') return mapOf(value);
  const { json } = mapOf(value);
  return typeof json === 'string' && json !== '' ? mapOf(JSON.parse(json)) : {};
};

const withoutSystemKeys = (value: JsonValue): JsonValue => {
  const isOwn = (key: JsonValue): boolean => !(typeof key === 'string' && key.startsWith('svc/'));
  if (Array.isArray(value)) return value.filter(isOwn);
  return isMap(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => isOwn(key))) : value;
};

const isEmpty = (value: JsonValue): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

const SUFFIX = 'Json';

/** `specJson: '{"a":1}'` becomes `spec: {a: 1}`, which manifests mean as the same. Texts that hold no object stay. */
const withParsedJson = (map: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(map).map(([name, value]): [string, JsonValue] => {
      const short = name.slice(0, -SUFFIX.length);
      const parsed = name.endsWith(SUFFIX) && map[short] === undefined ? parsedObject(value) : undefined;
      if (parsed !== undefined) return [short, parsed];
      if (Array.isArray(value)) return [name, value.map((item) => (isMap(item) ? withParsedJson(item) : item))];
      return [name, isMap(value) ? withParsedJson(value) : value];
    }),
  );

const parsedObject = (value: JsonValue): JsonObject | undefined => {
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return isMap(parsed) ? parsed : undefined;
  } catch {
    // A text that is not JSON is shown as it is.
    return undefined;
  }
};
