import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { camelCase, type OtherForm, otherForms } from '@svc/api/manifest-forms';
import { parseDurationMs } from '../../../base/index.ts';
import { canonicalJson, isJsonMap, isJsonTextField, type JsonData, type JsonMap } from '../../canonical-json.ts';
import { hasExpressions } from '../../expressions/index.ts';
import { fieldOf } from '../message-shape.ts';
import { readEnum } from '../scalar-nodes.ts';

const RESOURCE_REF = 'svc.resources.ResourceRef';

/**
 * Converts a spec that will be rendered later to stored form, where manifests may use other forms: names,
 * JSON texts, durations, references, enums. Values that are wrong, or depend on an expression, stay unchanged for the later check.
 */
export const storedSpec = (desc: DescMessage, map: JsonMap): JsonMap => {
  const forms = otherForms[desc.typeName] ?? {};
  const stored = new Map<string, JsonData>();
  for (const [name, value] of members(forms, map)) {
    const other = forms[camelCase(name)];
    const field = fieldOf(desc, other === undefined || other.field === '' ? name : other.field);
    const said = field === undefined || other === undefined ? value : otherValue(other, value);
    if (field === undefined || said === undefined) stored.set(name, value);
    else stored.set(isFree(field, name, { map, stored }) ? field.jsonName : name, fieldValue(field, said));
  }
  return Object.fromEntries(stored);
};

/** False for the second of two spellings of a field: both stay, for the checks to find. */
const isFree = (
  { jsonName }: DescField,
  name: string,
  said: { readonly map: JsonMap; readonly stored: ReadonlyMap<string, JsonData> },
): boolean => !said.stored.has(jsonName) && (name === jsonName || !Object.hasOwn(said.map, jsonName));

/** Members with those of `merge` forms in their place. */
const members = (forms: Readonly<Record<string, OtherForm>>, map: JsonMap): readonly (readonly [string, JsonData])[] =>
  Object.entries(map).flatMap(([name, value]) => {
    const other = forms[camelCase(name)];
    if (other?.form !== 'merge' || !isJsonMap(value)) return [[name, value]];
    const isWhole = Object.keys(value).every((inner) => other.only === undefined || other.only.includes(inner));
    return isWhole ? Object.entries(value) : [[name, value]];
  });

/** The value under the name of its field; undefined when it is not known yet. */
const otherValue = (other: OtherForm, value: JsonData): JsonData | undefined => {
  if (other.form === 'json') return canonicalJson(value);
  if (other.inside !== undefined) return { [other.inside]: value };
  return other.form === 'seconds' && typeof value === 'string' ? secondsOf(value) : value;
};

const secondsOf = (text: string): number | undefined => {
  if (/^\d+$/.test(text)) return Number(text);
  const ms = parseDurationMs(text);
  return ms === undefined || ms % 1_000 !== 0 ? undefined : ms / 1_000;
};

const fieldValue = (field: DescField, value: JsonData): JsonData => {
  if (field.fieldKind === 'list')
    return Array.isArray(value) ? value.map((item: JsonData) => singleValue(field, item)) : value;
  if (field.fieldKind !== 'map') return singleValue(field, value);
  if (!isJsonMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, singleValue(field, item)]));
};

const singleValue = (field: DescField, value: JsonData): JsonData => {
  const isOpen = typeof value === 'string' && hasExpressions(value);
  if (value === null || isOpen) return value;
  if (isJsonTextField(field)) return typeof value === 'string' ? value : canonicalJson(value);
  if (field.enum !== undefined) return enumValue(field.enum, value);
  if (field.message?.typeName === RESOURCE_REF && typeof value === 'string') return reference(value);
  return field.message !== undefined && isJsonMap(value) ? storedSpec(field.message, value) : value;
};

const enumValue = (desc: Parameters<typeof readEnum>[0], value: JsonData): JsonData => {
  if (typeof value !== 'string') return value;
  const read = readEnum(desc, value);
  return 'fault' in read ? value : read.json;
};

/** `ns/name` or `name`. */
const reference = (text: string): JsonMap => {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
};
