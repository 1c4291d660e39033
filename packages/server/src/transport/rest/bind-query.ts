import { type DescField, ScalarType } from '@bufbuild/protobuf';
import { invalidField } from '../../base/index.ts';
import { DecodeReport, otherQueryNames } from '../../operations/index.ts';

/** Query parameters by name, in order, percent-decoded; throws INVALID_ARGUMENT on malformed escapes. */
export const parseQuery = (query: string): [name: string, value: string][] => {
  if (query === '') return [];
  const pairs: [string, string][] = [];
  for (const item of query.split('&')) {
    if (item === '') continue;
    const mark = item.indexOf('=');
    const written = mark < 0 ? item : item.slice(0, mark);
    const name = decodeText(written, written);
    pairs.push([name, mark < 0 ? '' : decodeText(item.slice(mark + 1), name)]);
  }
  return pairs;
};

/** `field` is the parameter that a fault names. */
const decodeText = (text: string, field: string): string => {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalidField(field.slice(0, 64), 'malformed percent-encoding');
  }
};

/** True for fields that can be in a query: scalars, enums, and lists of them. */
export const isQueryField = (field: DescField): boolean =>
  field.fieldKind === 'scalar' ||
  field.fieldKind === 'enum' ||
  (field.fieldKind === 'list' && field.listKind !== 'message');

const fieldNamed = (fields: readonly DescField[], name: string): DescField | undefined => {
  const known = fields.find((field) => field.jsonName === name || field.name === name);
  if (known !== undefined) return isQueryField(known) ? known : undefined;
  const other = Object.hasOwn(otherQueryNames, name) ? otherQueryNames[name] : undefined;
  return other === undefined ? undefined : fields.find((field) => field.name === other);
};

/** The JSON value that a parameter stands for; the JSON decoder checks and converts it further. */
const jsonOf = (field: DescField, text: string): unknown => {
  if (field.fieldKind !== 'enum' && field.enum === undefined && field.scalar === ScalarType.BOOL) {
    if (text === 'true') return true;
    return text === 'false' ? false : text;
  }
  return text;
};

/**
 * Query parameters as the JSON object of a request: camelCase or snake_case, repeated fields by repeating the name.
 * Unknown names are PARAMETER_UNKNOWN, a single field given twice is refused.
 */
export const bindQuery = (fields: readonly DescField[], query: string): Record<string, unknown> => {
  const json: Record<string, unknown> = {};
  if (query === '') return json;
  const report = new DecodeReport();
  for (const [name, text] of parseQuery(query)) {
    const field = fieldNamed(fields, name);
    if (field === undefined) report.add(name, 'unknown query parameter', 'PARAMETER_UNKNOWN');
    else if (field.fieldKind === 'list') {
      const list = json[field.jsonName] as unknown[] | undefined;
      if (list === undefined) json[field.jsonName] = [jsonOf(field, text)];
      else list.push(jsonOf(field, text));
    } else if (field.jsonName in json) report.add(name, 'given twice');
    else json[field.jsonName] = jsonOf(field, text);
  }
  report.throwIfAny();
  return json;
};
