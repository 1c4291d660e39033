import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { ManifestModule } from '../host.ts';
import { isMap, mapOf, mapsOf, textOf } from '../json-value.ts';
import { age, creationMs } from '../terminal/index.ts';

const SERVER_OWNED = ['uid', 'generation', 'resourceVersion', 'deletionTimestamp'];

/**
 * A resource from the ResourceService, in the form of manifests, status included: without the name of the kind around spec and status;
 * for a custom kind they are its own JSON.
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

/** What one would write to create the same resource again: no status, no fields that the system sets, no defaults. */
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

/** System labels, annotations and finalizers stay when they are left out, and no one else may set them. */
const withoutSystemKeys = (value: JsonValue): JsonValue => {
  const isSystem = (key: JsonValue): boolean => typeof key === 'string' && key.startsWith('svc/');
  if (Array.isArray(value)) return value.filter((item) => !isSystem(item));
  return isMap(value) ? Object.fromEntries(Object.entries(value).filter(([key]) => !isSystem(key))) : value;
};

/** As plainManifestOf, for readers that replace variables: braces that are not variables are put into raw blocks. */
export const manifestOf = (json: JsonObject, withoutDefaults: WithoutDefaults): JsonObject => {
  const plain = plainManifestOf(json, withoutDefaults);
  const { kind, metadata = {}, spec } = plain;
  return { ...plain, metadata: literalValue(metadata), spec: literalSpec(textOf(kind), mapOf(spec)) };
};

const isEmpty = (value: unknown): boolean =>
  value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);

/** Age of a resource, from its metadata: the time in the uid is that of its creation. */
export const ageOf = (metadata: JsonValue | undefined, nowMs: number): string => {
  const created = creationMs(textOf(mapOf(metadata)['uid']));
  return created === undefined ? '-' : age(created, nowMs);
};

/** Conditions that are bad when True, and those that are neither good nor bad. */
const WARNINGS: ReadonlySet<string> = new Set(['Alert', 'Exceeded']);
const NEUTRAL: ReadonlySet<string> = new Set(['DelegatedExecution']);

const isBad = ({ type, status }: JsonObject): boolean =>
  !NEUTRAL.has(textOf(type)) && status === (WARNINGS.has(textOf(type)) ? 'True' : 'False');

/** What is wrong with a resource: the first condition that says so, Ready before others; a dash when there is none. */
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

/** Texts that are rendered later keep their expressions. */
const READ_LATER: ReadonlyMap<string, readonly string[]> = new Map([
  ['Agent', ['systemPrompt', 'postHistoryPrompt']],
  ['Template', ['specJson', 'metadata']],
]);

const RAW_END = /\{%-?\s*endraw\s*-?%\}/;

/** A text written so that apply reads the same text again: braces that are not variables are put into a raw block. */
const literal = (text: string): string => {
  if (!text.includes('{{') && !text.includes('{%')) return text;
  return RAW_END.test(text) ? text : `{% raw %}${text}{% endraw %}`;
};

/** The spec of a manifest, with every text made literal except those that are rendered later. */
const literalSpec = (kind: string, spec: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(spec).map(([field, value]) => [
      field,
      READ_LATER.get(kind)?.includes(field) === true ? value : literalValue(value),
    ]),
  );

/** As literalSpec, for metadata and nested parts. */
const literalValue = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return value.map(literalValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, literalValue(item)]));
};
