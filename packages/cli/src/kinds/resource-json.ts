import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import { isMap, mapOf, mapsOf, textOf } from '../json-value.ts';
import { age, creationMs } from '../terminal/index.ts';
import type { ManifestModule } from '../world.ts';
import { literalSpec, literalValue } from './literal-braces.ts';

const SERVER_OWNED = ['uid', 'generation', 'resourceVersion', 'deletionTimestamp'];

/**
 * A resource as the ResourceService words it, in the form of manifests, status included: spec and status are there without
 * the name of their kind around them; of a custom kind they are its own JSON.
 */
export const manifestForm = (resource: JsonObject): JsonObject => ({
  ...resource,
  spec: inner(mapOf(resource['spec'])),
  status: inner(mapOf(resource['status'])),
});

/** The only member of an object. */
const inner = (part: JsonObject): JsonObject => {
  const [[name, value] = []] = Object.entries(part);
  return name === 'raw' ? rawJson(textOf(mapOf(value)['json'])) : mapOf(value);
};

const rawJson = (text: string): JsonObject => mapOf(JSON.parse(text === '' ? '{}' : text) as JsonValue);

type WithoutDefaults = ManifestModule['withoutDefaults'];

/** What one would write to create the same again: no status, nothing that the system decides, no defaults. */
export const plainManifestOf = (json: JsonObject, withoutDefaults: WithoutDefaults): JsonObject => {
  const metadata = Object.entries(mapOf(json['metadata']))
    .map(([field, value]): [string, JsonValue] => [field, withoutSystemKeys(value)])
    .filter(([field, value]) => !SERVER_OWNED.includes(field) && !isEmpty(value));
  return {
    apiVersion: json['apiVersion'] ?? 'svc/v1',
    kind: json['kind'] ?? '',
    metadata: Object.fromEntries(metadata),
    spec: withoutDefaults(textOf(json['kind']), mapOf(json['spec'])) as JsonObject,
  };
};

/** Labels, annotations and finalizers of the system stay when they are left out, and no other may bring them. */
const withoutSystemKeys = (value: JsonValue): JsonValue => {
  const isSystem = (key: JsonValue): boolean => typeof key === 'string' && key.startsWith('svc/');
  if (Array.isArray(value)) return value.filter((item) => !isSystem(item));
  return isMap(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !isSystem(key))) : value;
};

/** As plainManifestOf, for readers that put variables in: braces that are not variables are in raw blocks. */
export const manifestOf = (json: JsonObject, withoutDefaults: WithoutDefaults): JsonObject => {
  const plain = plainManifestOf(json, withoutDefaults);
  const { kind, metadata = {}, spec } = plain;
  return { ...plain, metadata: literalValue(metadata), spec: literalSpec(textOf(kind), mapOf(spec)) };
};

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Age of a resource by its metadata: the time in the uid is that of creation. */
export const ageOf = (metadata: JsonValue | undefined, nowMs: number): string => {
  const created = creationMs(textOf(mapOf(metadata)['uid']));
  return created === undefined ? '-' : age(created, nowMs);
};

/** Conditions that are bad when they are True, and those that are neither. */
const WARNINGS: ReadonlySet<string> = new Set(['Alert', 'Exceeded']);
const NEUTRAL: ReadonlySet<string> = new Set(['DelegatedExecution']);

const isBad = ({ type, status }: JsonObject): boolean =>
  !NEUTRAL.has(textOf(type)) && status === (WARNINGS.has(textOf(type)) ? 'True' : 'False');

/** Why a resource is not as it should be: the first condition that says so, Ready before others; a dash when none does. */
export const reasonText = (status: JsonObject): string => {
  const failed = mapsOf(status['conditions']).filter(isBad);
  const [first] = failed.toSorted(
    (left, right) => Number(right['type'] === 'Ready') - Number(left['type'] === 'Ready'),
  );
  if (first === undefined) return '-';
  return [textOf(first['reason']), textOf(first['message'])].filter((text) => text !== '').join(': ');
};

/** `a=b,c=d`, or a dash. */
export const labelText = (labels: JsonValue | undefined): string => {
  const pairs = Object.entries(mapOf(labels)).map(([key, value]) => `${key}=${textOf(value)}`);
  return pairs.length === 0 ? '-' : pairs.join(',');
};
