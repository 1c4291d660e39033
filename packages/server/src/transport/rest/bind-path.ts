import type { DescField } from '@bufbuild/protobuf';
import { invalidField } from '../../base/index.ts';
import { saidTwice } from '../../operations/index.ts';

/** Sets the path's values in the JSON of a request; a body or query that repeats one must agree. */
export const bindPath = (
  json: Record<string, unknown>,
  fields: readonly DescField[],
  values: readonly string[],
): void => {
  for (let index = 0; index < fields.length; index++) {
    const { jsonName, name } = fields[index] as DescField;
    const value = values[index];
    checkSame(json[jsonName], value, jsonName);
    if (name !== jsonName) {
      checkSame(json[name], value, jsonName);
      if (isGiven(json[name]) && isGiven(json[jsonName]))
        throw invalidField(name, 'given twice in different spellings');
      delete json[name];
    }
    json[jsonName] = value;
  }
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

const checkSame = (given: unknown, value: string | undefined, field: string): void => {
  if (isGiven(given) && given !== value) throw saidTwice(field);
};
