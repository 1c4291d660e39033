import type { DescEnum, DescField, DescMessage, JsonObject, JsonValue } from '@bufbuild/protobuf';
import { camelCase, type OtherForm, otherForms } from '@svc/api/manifest-forms';
import { ResourceSpecSchema } from '@svc/api/resources';
import { isMap, mapOf } from './json.ts';

const REFERENCE = 'svc.resources.ResourceRef';
const TEMPLATE = 'svc.resources.TemplateSpec';

/** The message of the spec of a built-in kind. */
export const specOfKind = (kind: string): DescMessage | undefined =>
  ResourceSpecSchema.fields.find((field) => field.localName === lowerFirst(kind))?.message;

/** `McpServer` as `mcpServer`, the member of a spec that holds it. */
export const lowerFirst = (kind: string): string => kind.slice(0, 1).toLowerCase() + kind.slice(1);

/**
 * The JSON of a message for what a manifest says: short forms become the stored ones. What is unknown or wrong stays as it
 * is, for the server to judge.
 */
export const storedJson = (message: DescMessage, written: JsonObject): JsonObject => {
  const stored = Object.fromEntries(
    unfolded(message, written).map(([name, value]): [string, JsonValue] => {
      const other = otherForms[message.typeName]?.[camelCase(name)];
      const wanted = other === undefined || other.field === '' ? name : other.field;
      const field = message.fields.find((known) => known.name === wanted || known.jsonName === wanted);
      if (field === undefined || value === null) return [name, value];
      return [field.jsonName, storedField(field, other === undefined ? value : ofForm(other, value))];
    }),
  );
  return message.typeName === TEMPLATE ? withStoredSpec(stored) : stored;
};

/** A template holds the spec of another kind, with the short forms of that kind. */
const withStoredSpec = (template: JsonObject): JsonObject => {
  const { kind, specJson } = template;
  const spec = typeof kind === 'string' ? specOfKind(kind) : undefined;
  if (spec === undefined || typeof specJson !== 'string') return template;
  const parsed: unknown = JSON.parse(specJson);
  return isMap(parsed) ? { ...template, specJson: JSON.stringify(storedJson(spec, parsed)) } : template;
};

const unfolded = (message: DescMessage, written: JsonObject): readonly (readonly [string, JsonValue])[] =>
  Object.entries(written).flatMap(([name, value]) => {
    const other = otherForms[message.typeName]?.[camelCase(name)];
    if (other?.form !== 'merge' || !isMap(value)) return [[name, value] as const];
    const { only } = other;
    const isWhole = Object.keys(value).every((inner) => only === undefined || only.includes(inner));
    return isWhole ? Object.entries(value) : [[name, value] as const];
  });

const ofForm = (other: OtherForm, value: JsonValue): JsonValue => {
  if (other.form === 'json') return JSON.stringify(value);
  if (other.inside !== undefined) return { [other.inside]: value };
  return other.form === 'seconds' && typeof value === 'string' ? (secondsOf(value) ?? value) : value;
};

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of `30`, `30s`, `5m`, `2h` or `7d`. */
const secondsOf = (text: string): number | undefined => {
  const [, amount, unit = 's'] = /^(\d{1,12})(s|m|h|d)?$/.exec(text) ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNIT_SECONDS[unit] ?? 1);
};

const storedField = (field: DescField, value: JsonValue): JsonValue => {
  if (field.fieldKind === 'list') return Array.isArray(value) ? value.map((item) => storedValue(field, item)) : value;
  if (field.fieldKind === 'map' && isMap(value))
    return Object.fromEntries(Object.entries(mapOf(value)).map(([key, item]) => [key, storedValue(field, item)]));
  return storedValue(field, value);
};

const storedValue = (field: DescField, value: JsonValue): JsonValue => {
  if (field.fieldKind === 'scalar' && field.name.endsWith('_json'))
    return typeof value === 'string' ? value : JSON.stringify(value);
  if (field.enum !== undefined && typeof value === 'string') return enumName(field.enum, value);
  const { message } = field;
  if (message === undefined || message.typeName.startsWith('google.')) return value;
  if (message.typeName === REFERENCE && typeof value === 'string') return reference(value);
  return isMap(value) ? storedJson(message, value) : value;
};

/** The full name of an enum value for a short one, in any case. */
const enumName = (enumeration: DescEnum, text: string): string => {
  const plain = text.toUpperCase().replaceAll('-', '_');
  const prefix = enumeration.sharedPrefix?.toUpperCase() ?? '';
  return enumeration.values.find(({ name }) => name === plain || name === `${prefix}${plain}`)?.name ?? text;
};

const reference = (text: string): JsonObject => {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
};
