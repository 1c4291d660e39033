import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { isJsonMap, type JsonData, type JsonMap } from '../canonical-json.ts';
import { findKind } from '../kinds.ts';
import { fieldOf } from './message-shape.ts';

/**
 * A spec in the JSON of the API without default values: what people wrote, at every depth. Fields that
 * distinguish absent from empty keep their value, and so do fields that this release does not know and kinds of other groups.
 */
export const withoutDefaults = (kind: string, spec: JsonMap): JsonMap => {
  const row = findKind(kind);
  return row === undefined ? spec : plainMessage(row.spec, spec);
};

const plainMessage = (desc: DescMessage, value: JsonMap): JsonMap =>
  Object.fromEntries(
    Object.entries(value).flatMap(([member, item]): readonly (readonly [string, JsonData])[] => {
      const field = fieldOf(desc, member);
      if (field === undefined) return [[member, item]];
      return isDefault(field, item) ? [] : [[member, plainValue(field, item)]];
    }),
  );

const plainValue = (field: DescField, value: JsonData): JsonData => {
  const { message } = field;
  // Well-known messages have a JSON form of their own; values of map keys are kept whole.
  if (message === undefined || field.fieldKind === 'map' || message.typeName.startsWith('google.')) return value;
  const plain = (item: JsonData): JsonData => (isJsonMap(item) ? plainMessage(message, item) : item);
  return Array.isArray(value) ? value.map(plain) : plain(value);
};

/** Presence of a field in its descriptor: absent and default are one. */
const IMPLICIT = 2;

const isDefault = (field: DescField, value: JsonData): boolean => {
  if (field.presence !== IMPLICIT) return false;
  if (field.fieldKind === 'enum') return field.enum.values.some(({ name, number }) => number === 0 && name === value);
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
};
