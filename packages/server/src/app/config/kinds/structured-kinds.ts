import type { Located, LocatedEntry } from '../located.ts';
import { nearest } from '../nearest.ts';
import { jsonFromText, type Kind, MASK, type ParseContext, refuse, scalarFromText } from './kind.ts';

/** Never the value itself: what is written instead of a list or map may be a secret of it. */
const formOf = (located: Located): string => (located.kind === 'scalar' ? 'a single value' : `a ${located.kind}`);

/** A list; a flag or variable separates items by commas or is a JSON array. */
export const list = <T>(item: Kind<T>): Kind<readonly T[]> => ({
  label: `list of ${item.label}`,
  parse: (located, context) => {
    if (located.kind !== 'list') return refuse(located, context, `must be a list, not ${formOf(located)}`);
    const parsed = located.items.map((entry, index) =>
      item.parse(entry, { ...context, key: `${context.key}[${index}]` }),
    );
    const values = parsed.filter((value) => value !== undefined);
    return values.length === parsed.length ? values : undefined;
  },
  show: (values, key) => values.map((value) => item.show(value, key)),
  fromText: (text, origin) => {
    if (/^\s*\[/.test(text)) return jsonFromText(text, origin);
    const pieces = text.split(',').map((piece) => piece.trim());
    return {
      kind: 'list',
      origin,
      items: pieces.filter((piece) => piece !== '').map((piece) => scalarFromText(piece, origin)),
    };
  },
});

/** A map whose keys the operator chooses; `keyRule` returns what is wrong with a key. */
export const mapOf = <T>(
  value: Kind<T>,
  keyRule: (key: string) => string | undefined = () => undefined,
): Kind<Readonly<Record<string, T>>> => ({
  label: `map of ${value.label}`,
  parse: (located, context) => {
    if (located.kind !== 'map') return refuse(located, context, `must be a map, not ${formOf(located)}`);
    const parsed: Record<string, T> = {};
    let isWhole = true;
    for (const [name, entry] of located.entries) {
      const inner = { ...context, key: `${context.key}.${name}` };
      const wanted = keyRule(name);
      if (wanted !== undefined) reportKey(entry, inner, `the name must be ${wanted}`);
      const item = value.parse(entry.value, inner);
      if (item === undefined || wanted !== undefined) isWhole = false;
      else parsed[name] = item;
    }
    return isWhole ? parsed : undefined;
  },
  show: (values, key) =>
    Object.fromEntries(Object.entries(values).map(([name, item]) => [name, value.show(item, `${key}.${name}`)])),
  fromText: jsonFromText,
});

const reportKey = (entry: LocatedEntry, context: ParseContext, text: string): void =>
  context.report({ severity: 'error', label: entry.keyOrigin.label, key: context.key, text });

/** Fields of a record kind; each is optional unless `required` names it. */
export type RecordFields = Readonly<Record<string, Kind<unknown>>>;
export type RecordOf<F extends RecordFields> = { readonly [K in keyof F]?: F[K] extends Kind<infer T> ? T : never };

/** A map with a fixed set of fields; unknown ones are refused with the closest known name. */
export const record = <F extends RecordFields>(
  fields: F,
  required: readonly (keyof F & string)[] = [],
): Kind<RecordOf<F>> => ({
  label: `{${Object.entries(fields)
    .map(([name, kind]) => `${name}: ${kind.label}`)
    .join(', ')}}`,
  parse: (located, context) => {
    if (located.kind !== 'map') return refuse(located, context, `must be a map, not ${formOf(located)}`);
    const missing = required.filter((name) => !located.entries.has(name));
    for (const name of missing) refuse(located, context, `${name} is missing`);
    const parsed = readFields(located.entries, fields, context);
    // Every member was parsed by the kind of its field, as RecordOf says.
    return missing.length > 0 || parsed === undefined ? undefined : (parsed as RecordOf<F>);
  },
  show: (values, key) => {
    const shown = Object.entries(fields).flatMap(([name, kind]): [string, unknown][] => {
      const value: unknown = values[name];
      return value === undefined ? [] : [[name, kind.show(value, `${key}.${name}`)]];
    });
    return Object.fromEntries(shown);
  },
  fromText: jsonFromText,
});

const readFields = (
  entries: ReadonlyMap<string, LocatedEntry>,
  fields: RecordFields,
  context: ParseContext,
): Record<string, unknown> | undefined => {
  const parsed: Record<string, unknown> = {};
  let isWhole = true;
  for (const [name, entry] of entries) {
    const inner = { ...context, key: `${context.key}.${name}` };
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kind === undefined) reportKey(entry, inner, unknownField(name, fields));
    const value = kind?.parse(entry.value, inner);
    if (value === undefined) isWhole = false;
    else parsed[name] = value;
  }
  return isWhole ? parsed : undefined;
};

const unknownField = (name: string, fields: RecordFields): string => {
  const near = nearest(name, Object.keys(fields));
  return near === undefined ? 'unknown key' : `unknown key, did you mean ${near}`;
};

/** Any JSON value, unchanged, for settings whose form another product defines. */
export const json: Kind<unknown> = {
  label: 'JSON value',
  parse: (located) => plain(located),
  // Any of its texts may be a credential for that product.
  show: (value) => withoutTexts(value),
  fromText: (text: string, origin: Located['origin']) => jsonFromText(text, origin),
};

const withoutTexts = (value: unknown): unknown => {
  if (typeof value === 'string') return MASK;
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutTexts(item)]));
};

const plain = (located: Located): unknown => {
  if (located.kind === 'scalar') return located.value;
  if (located.kind === 'list') return located.items.map(plain);
  return Object.fromEntries([...located.entries].map(([key, entry]) => [key, plain(entry.value)]));
};
