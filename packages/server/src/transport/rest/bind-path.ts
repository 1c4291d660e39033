import type { DescField } from '@bufbuild/protobuf';
import { Fault, invalidField } from '../../base/index.ts';

/** INVALID_ARGUMENT PATH_BODY_MISMATCH for one thing said twice with different values. */
export const saidTwice = (field: string): Fault => {
  const description = 'said twice with different values';
  return new Fault('INVALID_ARGUMENT', 'PATH_BODY_MISMATCH', `${field}: ${description}`, {
    violations: [{ field, description, reason: 'PATH_BODY_MISMATCH' }],
  });
};

/** Sets the path's values in the JSON of a request; a body or query that repeats one must agree. */
export const bindPath = (
  json: Record<string, unknown>,
  fields: readonly DescField[],
  values: readonly string[],
): void => {
  fields.forEach((field, index) => {
    const value = values[index];
    const given = [...new Set([field.jsonName, field.name])].filter((name) => (json[name] ?? null) !== null);
    if (given.some((name) => json[name] !== value)) throw saidTwice(field.jsonName);
    if (given.length > 1) throw invalidField(field.name, 'given twice in different spellings');
    delete json[field.name];
    json[field.jsonName] = value;
  });
};
