import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { canonicalJson, isJsonMap, type JsonData, type JsonMap } from './canonical-json.ts';

/**
 * The JSON of a message that replaces `stored`, plus fields that a newer release wrote there and this one does not know, because
 * a rollback must not lose them. Unknown members stay while their message stays; those of an item of a list
 * stay while the item is otherwise the same. Returns `written` itself when there is nothing to keep.
 */
export const keepUnknown = (desc: DescMessage, stored: JsonMap, written: JsonMap): JsonMap => {
  const fields = fieldsOf(desc);
  const kept: Record<string, JsonData> = {};
  for (const [name, before] of Object.entries(stored)) {
    const field = fields.get(name);
    const after = written[name];
    if (field === undefined) {
      if (after === undefined) kept[name] = before;
    } else if (after !== undefined) {
      const whole = keepIn(field, before, after);
      if (whole !== after) kept[name] = whole;
    }
  }
  return Object.keys(kept).length === 0 ? written : { ...written, ...kept };
};

const keepIn = (field: DescField, before: JsonData, after: JsonData): JsonData => {
  const message = innerMessage(field);
  if (message === undefined) return after;
  if (field.fieldKind === 'list') return keepInList(message, before, after);
  return isJsonMap(before) && isJsonMap(after) ? keepUnknown(message, before, after) : after;
};

/** The message that a field holds, if it is one of svc's own; none of their maps holds messages. */
const innerMessage = ({ message }: DescField): DescMessage | undefined =>
  message === undefined || message.typeName.startsWith('google.') ? undefined : message;

const keepInList = (desc: DescMessage, before: JsonData, after: JsonData): JsonData => {
  if (!Array.isArray(before) || !Array.isArray(after)) return after;
  const former = new Map<string, JsonData>();
  for (const item of before as readonly JsonData[]) {
    const known = isJsonMap(item) ? knownPart(desc, item) : item;
    if (known !== item) former.set(canonicalJson(known), item);
  }
  return former.size === 0 ? after : after.map((item: JsonData) => former.get(canonicalJson(item)) ?? item);
};

/** The message as this release knows it; the same object if it knows every field. */
const knownPart = (desc: DescMessage, map: JsonMap): JsonMap => {
  const fields = fieldsOf(desc);
  const entries = Object.entries(map).flatMap(([name, value]): [string, JsonData][] => {
    const field = fields.get(name);
    return field === undefined ? [] : [[name, knownValue(field, value)]];
  });
  const isWhole = entries.length === Object.keys(map).length && entries.every(([name, value]) => value === map[name]);
  return isWhole ? map : Object.fromEntries(entries);
};

/** Items of lists contain no further lists of messages. */
const knownValue = (field: DescField, value: JsonData): JsonData => {
  const message = innerMessage(field);
  return message !== undefined && isJsonMap(value) ? knownPart(message, value) : value;
};

/** Fields by the names that JSON may use for them; created once for each message. */
const tables = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

const fieldsOf = (desc: DescMessage): ReadonlyMap<string, DescField> => {
  const known = tables.get(desc);
  if (known !== undefined) return known;
  const made = new Map(
    desc.fields.flatMap((field) => [[field.jsonName, field] as const, [field.name, field] as const]),
  );
  tables.set(desc, made);
  return made;
};
