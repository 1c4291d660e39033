/**
 * What messages, fields and operations mean, for people: types in the words of JSON, and the comments of the .proto files. The
 * reference in docs/ and `svc explain` are both made of it. Apart from the descriptors, for programs that never ask.
 */
import { type DescEnum, type DescField, type DescMessage, type DescMethod, ScalarType } from '@bufbuild/protobuf';
import { comments } from '../gen/comments.js';

/** A field as people write it in JSON and manifests. */
export interface FieldDescription {
  /** As written in JSON. */
  readonly name: string;
  /** In the words of JSON, such as `list of string`. */
  readonly type: string;
  /** What it is for and its rules; without the default. */
  readonly text: string;
  /** What holds when it is left out, in plain words or as a value in backticks; '' when nothing does. */
  readonly fallback: string;
  readonly isRequired: boolean;
  /** Shape of the value, or of each item of a list or map. */
  readonly message: DescMessage | undefined;
  readonly enumeration: DescEnum | undefined;
}

const FALLBACK = /\s*\bDefault: (`[^`]*`[^.]*|[^`.](?:[^.]|\.(?!\s|$))*)\.(?=\s|$)/;
const REQUIRED = /\s*\bRequired\.(?=\s|$)/;

/** Comment of a message, an enum or an operation; '' when it has none. */
export const commentOn = (described: DescMessage | DescEnum | DescMethod): string =>
  comments['parent' in described && described.kind === 'rpc' ? methodName(described) : typeName(described)] ?? '';

const methodName = (method: DescMethod): string => `${method.parent.typeName}.${method.name}`;
const typeName = (described: DescMessage | DescEnum | DescMethod): string =>
  described.kind === 'rpc' ? methodName(described) : described.typeName;

/** Fields of a message in the order of their declaration. */
export const fieldsOf = (message: DescMessage): readonly FieldDescription[] => message.fields.map(describeField);

/** Values of an enum with their comments, without the unspecified one. */
export const valuesOf = (enumeration: DescEnum): readonly { readonly name: string; readonly text: string }[] =>
  enumeration.values
    .filter(({ number }) => number !== 0)
    .map(({ name }) => ({ name, text: comments[`${enumeration.typeName}.${name}`] ?? '' }));

/** What an operation does, and the reasons of its own with which it refuses; both are in one comment. */
export const operationText = (method: DescMethod): { readonly text: string; readonly errors: string } => {
  const [text = '', errors = ''] = commentOn(method).split(/\s*Errors: /);
  return { text, errors: errors.replace(/\.$/, '') };
};

const describeField = (field: DescField): FieldDescription => {
  const comment = comments[`${field.parent.typeName}.${field.name}`] ?? '';
  const fallback = FALLBACK.exec(comment)?.[1] ?? '';
  return {
    name: field.jsonName,
    type: typeOf(field),
    text: comment.replace(FALLBACK, '').replace(REQUIRED, '').trim(),
    fallback,
    isRequired: REQUIRED.test(comment),
    message: field.message,
    enumeration: field.enum,
  };
};

const typeOf = (field: DescField): string => {
  switch (field.fieldKind) {
    case 'list':
      return `list of ${itemType(field)}`;
    case 'map':
      return `map of ${itemType(field)}`;
    default:
      return itemType(field);
  }
};

const itemType = (field: DescField): string => {
  if (field.message !== undefined) return messageType(field.message);
  if (field.enum !== undefined) return field.enum.name;
  return field.scalar === undefined ? 'value' : scalarType(field.scalar);
};

const wellKnown: Readonly<Record<string, string>> = {
  'google.protobuf.FieldMask': 'string (paths, joined by commas)',
  'google.protobuf.ListValue': 'list of any value',
};

const messageType = (message: DescMessage): string => wellKnown[message.typeName] ?? message.name;

const scalarType = (scalar: ScalarType): string => {
  switch (scalar) {
    case ScalarType.STRING:
      return 'string';
    case ScalarType.BOOL:
      return 'boolean';
    case ScalarType.BYTES:
      return 'string (base64)';
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return 'number';
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return 'integer (64 bits, a string in JSON)';
    default:
      return 'integer';
  }
};
