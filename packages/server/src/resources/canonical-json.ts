import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import { parseJsonText, shortestFloat } from '../base/index.ts';

/** A value that JSON can hold. */
export type JsonData = null | boolean | number | string | readonly JsonData[] | { readonly [key: string]: JsonData };
export type JsonMap = { readonly [key: string]: JsonData };

/** True for JSON objects; lists and null are values. */
export const isJsonMap = (value: JsonData | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compact JSON with the keys of every object sorted: equal values give equal texts. */
export const canonicalJson = (value: JsonData): string => JSON.stringify(sorted(value));

/** The value itself if its keys are in order already, as they are in stored values. */
const sorted = (value: JsonData): JsonData => {
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isJsonMap(value)) return value;
  const keys = Object.keys(value);
  // Sorts each value once: otherwise nested values would take twice the time for every level.
  const members = keys.map((key): [string, JsonData] => [key, sorted(value[key] ?? null)]);
  const isOrdered = keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key);
  if (isOrdered && members.every(([key, member]) => member === value[key])) return value;
  return Object.fromEntries(isOrdered ? members : members.sort(([left], [right]) => (left < right ? -1 : 1)));
};

const HALF = /(?:^|[^\\])(?:\\\\)*\\ud[89a-f]/;

/**
 * True for canonical JSON with half a character (a lone surrogate) in a key or a text: JSON can represent it, UTF-8 and so protobuf
 * cannot. JSON.stringify escapes such halves and nothing else as `\ud…`; texts that hold JSON have their backslashes doubled.
 */
export const holdsHalfCharacter = (canonical: string): boolean => canonical.includes('\\ud') && HALF.test(canonical);

/** JSON Merge Patch (RFC 7396): objects merge by key, null removes, everything else replaces. */
export const mergePatch = (target: JsonData, patch: JsonData): JsonData => {
  if (!isJsonMap(patch)) return patch;
  const merged: Record<string, JsonData> = isJsonMap(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key] ?? null, value);
  }
  return merged;
};

/** Text as a JSON object, undefined for anything else. */
export const parseJsonMap = (text: string): JsonMap | undefined => {
  try {
    const value = parseJsonText(text) as JsonData;
    return isJsonMap(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

/** True for a string field that holds JSON: its name ends in `_json`. */
export const isJsonTextField = (field: DescField): boolean =>
  field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING && field.name.endsWith('_json');

/** A JSON text in canonical form; a text that is not JSON is returned as it is, for the rules of its kind to refuse. */
export const canonicalJsonText = (text: string): string => {
  try {
    return canonicalJson(parseJsonText(text) as JsonData);
  } catch {
    return text;
  }
};

type Normaliser = (message: Message) => Message;
type Change = (value: unknown) => unknown;
type Members = Readonly<Record<string, unknown>>;

/**
 * Puts every `*_json` text of a message into canonical form, and every float into its shortest one, so that two
 * spellings of one value are one spec for all operations. Returns the message itself when nothing changes.
 */
export const specNormaliser = (desc: DescMessage): Normaliser => {
  const found = normalisers.get(desc) ?? makeNormaliser(desc);
  normalisers.set(desc, found);
  return found;
};

/** Created once for each message, because renderings ask for it again and again. */
const normalisers = new WeakMap<DescMessage, Normaliser>();

const makeNormaliser = (desc: DescMessage): Normaliser => {
  const changes = desc.fields.flatMap((field) => {
    const change = changeOf(field);
    return change === undefined ? [] : [[field.localName, change] as const];
  });
  return (message) => {
    const members = message as unknown as Members;
    const changed = changes
      .map(([name, change]) => [name, change(members[name])] as const)
      .filter(([name, value]) => value !== members[name]);
    return changed.length === 0 ? message : create(desc, { ...members, ...Object.fromEntries(changed) } as never);
  };
};

/** How the value of a field is changed; undefined for fields with only one spelling. */
const changeOf = (field: DescField): Change | undefined => {
  if (isJsonTextField(field)) return (value) => canonicalJsonText(String(value));
  if (isFloat(field)) return (value) => (typeof value === 'number' ? shortestFloat(value) : value);
  if (field.message === undefined || !isSpelt(field.message)) return undefined;
  const inner = specNormaliser(field.message);
  if (field.fieldKind !== 'list') return (value) => (value === undefined ? undefined : inner(value as Message));
  return (value) => {
    const items = value as readonly Message[];
    const changed = items.map(inner);
    return changed.some((item, index) => item !== items[index]) ? changed : items;
  };
};

const isFloat = (field: DescField): boolean => field.fieldKind === 'scalar' && field.scalar === ScalarType.FLOAT;

/** True for a message that holds a value of several spellings. */
const isSpelt = (desc: DescMessage): boolean =>
  !desc.typeName.startsWith('google.') &&
  desc.fields.some(
    (field) => isJsonTextField(field) || isFloat(field) || (field.message !== undefined && isSpelt(field.message)),
  );
