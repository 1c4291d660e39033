import type { Explanation, Suggestion, Suggestions, TextHelp } from '../../../ui/editor/editor-types.ts';
import { fieldsIn, type KnownField, rootFields } from './known-fields.ts';
import { specOfKind } from './stored-json.ts';
import { type YamlPlace, yamlPlace } from './yaml-place.ts';

/** What could be written at an offset of a manifest. */
export const suggestionsAt = (text: string, offset: number): Suggestions | undefined => {
  const place = yamlPlace(text, offset);
  if (place === undefined) return undefined;
  const fields = fieldsAt(text, place.path);
  if (place.key !== undefined) {
    const field = fields.find(({ name }) => name === place.key);
    const options = field?.values.map(({ name, text: info }) => ({ label: name, info })) ?? [];
    return options.length === 0 ? undefined : { from: place.from, options };
  }
  const options = fields
    .filter(({ name }) => !place.siblings.includes(name))
    .map((field) => suggestionOf(field, place.indent));
  return options.length === 0 ? undefined : { from: place.from, options };
};

/** What the key or the value at an offset of a manifest means. */
export const explanationAt = (text: string, offset: number): Explanation | undefined => {
  const place = yamlPlace(text, offset);
  if (place === undefined || place.from === place.to) return undefined;
  const word = text.slice(place.from, place.to);
  const field = fieldsAt(text, place.path).find(({ name }) => name === (place.key ?? word));
  if (field === undefined) return undefined;
  const { from, to } = place;
  const value = place.key === undefined ? undefined : field.values.find(({ name }) => name === word.toLowerCase());
  if (value !== undefined && value.text !== '') return { from, to, title: value.name, text: value.text };
  return { from, to, title: field.name, text: factsOf(field) };
};

/** Help for manifests of every kind, from the descriptions of the API. */
export const manifestHelp: TextHelp = {
  suggest: async (text, offset) => suggestionsAt(text, offset),
  explain: async (text, offset) => explanationAt(text, offset),
};

const fieldsAt = (text: string, path: YamlPlace['path']): readonly KnownField[] => {
  const kind = /^kind:\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? '';
  let fields = rootFields(kind);
  for (const key of path) {
    const field = fields.find(({ name }) => name === key);
    const inside =
      kind === 'Template' && field?.name === 'spec' && path.length > 1 ? specInTemplate(text, field) : field?.inside;
    if (inside === undefined) return [];
    fields = fieldsIn(inside);
  }
  return fields;
};

/** A template's own spec names the kind whose spec it holds. */
const specInTemplate = (text: string, field: KnownField): KnownField['inside'] =>
  field.inside ?? specOfKind(/^ +kind:\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? '');

const BEGINNINGS = {
  single: (): string => ': ',
  map: newLine,
  list: (indent: number): string => `${newLine(indent)}- `,
};

function newLine(indent: number): string {
  return `:\n${' '.repeat(indent + 2)}`;
}

const suggestionOf = (field: KnownField, indent: number): Suggestion => ({
  label: field.name,
  detail: field.type,
  info: factsOf(field),
  text: `${field.name}${BEGINNINGS[field.shape](indent)}`,
});

const factsOf = ({ type, text, fallback, isRequired, values }: KnownField): string =>
  [
    text,
    `Type: ${type}.${isRequired ? ' Required.' : ''}`,
    ...(fallback === '' ? [] : [`Default: ${fallback.replaceAll('`', '')}.`]),
    ...(values.length === 0 || values.length > 8 ? [] : [`One of ${values.map(({ name }) => name).join(', ')}.`]),
  ]
    .filter((line) => line !== '')
    .join('\n');
