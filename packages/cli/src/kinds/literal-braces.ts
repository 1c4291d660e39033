import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

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
export const literalSpec = (kind: string, spec: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(spec).map(([field, value]) => [
      field,
      READ_LATER.get(kind)?.includes(field) === true ? value : literalValue(value),
    ]),
  );

/** As literalSpec, for metadata and nested parts. */
export const literalValue = (value: JsonValue): JsonValue => {
  if (typeof value === 'string') return literal(value);
  if (Array.isArray(value)) return value.map(literalValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, literalValue(item)]));
};
