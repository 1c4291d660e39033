import { type DescField, type DescMessage, fromJson, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';

/** A fault inside a JSON value, by JSON pointer. */
export interface ShapeProblem {
  readonly pointer: string;
  readonly message: string;
}

const WELL_KNOWN = 'google.protobuf.';

/** Everything in a JSON object that does not belong to the message, all at once; error texts never repeat values. */
export const shapeProblems = (schema: DescMessage, value: JsonMap): readonly ShapeProblem[] => {
  const found = messageProblems(schema, value, '');
  if (found.length > 0 || canRead(schema, value)) return found;
  return [{ pointer: '', message: `is not a valid ${schema.name}` }];
};

const canRead = (schema: DescMessage, value: JsonData): boolean => {
  try {
    fromJson(schema, value as JsonValue);
    return true;
  } catch {
    return false;
  }
};

/** The field that a JSON member names, in either spelling. */
export const fieldOf = (schema: DescMessage, member: string): DescField | undefined =>
  schema.fields.find((field) => field.jsonName === member || field.name === member);

const messageProblems = (schema: DescMessage, value: JsonData, at: string): readonly ShapeProblem[] => {
  if (schema.typeName.startsWith(WELL_KNOWN))
    return canRead(schema, value) ? [] : [{ pointer: at, message: `is not a valid ${schema.name}` }];
  if (!isJsonMap(value)) return [{ pointer: at, message: 'must be an object' }];
  return Object.entries(value).flatMap(([member, item]) => {
    const pointer = `${at}/${escaped(member)}`;
    const field = fieldOf(schema, member);
    if (field === undefined) return [{ pointer, message: `is not a field of ${schema.name}` }];
    return item === null ? [] : fieldProblems(field, item, pointer);
  });
};

const escaped = (member: string): string => member.slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1');

const fieldProblems = (field: DescField, value: JsonData, at: string): readonly ShapeProblem[] => {
  switch (field.fieldKind) {
    case 'list':
      if (!Array.isArray(value)) return [{ pointer: at, message: 'must be a list' }];
      return value.flatMap((item: JsonData, index) => itemProblems(field, item, `${at}/${index}`));
    case 'map':
      if (!isJsonMap(value)) return [{ pointer: at, message: 'must be an object' }];
      return Object.entries(value).flatMap(([key, item]) => itemProblems(field, item, `${at}/${escaped(key)}`));
    default:
      return itemProblems(field, value, at);
  }
};

const itemProblems = (field: DescField, value: JsonData, at: string): readonly ShapeProblem[] => {
  if (field.message !== undefined) return messageProblems(field.message, value, at);
  if (field.scalar === undefined) return [];
  const wanted = scalarForm(field.scalar);
  return isForm(wanted, value) ? [] : [{ pointer: at, message: `must be a ${wanted}` }];
};

export type ScalarForm = 'text' | 'boolean' | 'number';

/** How a scalar is written in JSON; bytes are text. */
export const scalarForm = (type: ScalarType): ScalarForm => {
  if (type === ScalarType.STRING || type === ScalarType.BYTES) return 'text';
  return type === ScalarType.BOOL ? 'boolean' : 'number';
};

const isForm = (form: ScalarForm, value: JsonData): boolean => {
  if (form === 'text') return typeof value === 'string';
  if (form === 'boolean') return typeof value === 'boolean';
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)));
};
