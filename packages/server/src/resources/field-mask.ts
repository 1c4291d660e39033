import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { isJsonMap, type JsonData, type JsonMap } from './canonical-json.ts';

/** The current JSON form with the fields of `paths` taken from the desired one; a value absent there is cleared. */
export const applyFieldMask = (
  schema: DescMessage,
  forms: { readonly current: JsonMap; readonly wanted: JsonMap },
  paths: readonly string[],
): JsonMap =>
  paths.reduce((result, path) => {
    const keys = jsonPath(schema, path);
    return keys === undefined ? result : replaceAt({ current: result, wanted: forms.wanted }, keys);
  }, forms.current);

/** True when the path names a field of the message; it may go through maps by key, but not into lists. */
export const isFieldPath = (schema: DescMessage, path: string): boolean => jsonPath(schema, path) !== undefined;

/** Keys of the JSON form; segments may be written as in proto or in JSON. */
const jsonPath = (schema: DescMessage, path: string): readonly string[] | undefined => {
  const keys: string[] = [];
  let at: DescMessage | undefined = schema;
  const segments = path.split('.');
  for (const [index, segment] of segments.entries()) {
    const field: DescField | undefined = at?.fields.find(
      (candidate) => candidate.name === segment || candidate.jsonName === segment,
    );
    if (field === undefined) return undefined;
    keys.push(field.jsonName);
    at = field.fieldKind === 'message' ? field.message : undefined;
    if (field.fieldKind !== 'map' || index === segments.length - 1) continue;
    keys.push(segments.slice(index + 1).join('.'));
    return keys;
  }
  return keys;
};

const replaceAt = (
  forms: { readonly current: JsonMap; readonly wanted: JsonMap },
  keys: readonly string[],
): JsonMap => {
  const [key = '', ...rest] = keys;
  const { [key]: before, ...others } = forms.current;
  const wanted = forms.wanted[key];
  const next = rest.length === 0 ? wanted : descend({ before, wanted }, rest);
  return next === undefined ? others : { ...others, [key]: next };
};

const descend = (
  values: { readonly before: JsonData | undefined; readonly wanted: JsonData | undefined },
  rest: readonly string[],
): JsonData | undefined => {
  const current = isJsonMap(values.before) ? values.before : {};
  const wanted = isJsonMap(values.wanted) ? values.wanted : {};
  const next = replaceAt({ current, wanted }, rest);
  return values.before === undefined && Object.keys(next).length === 0 ? undefined : next;
};
