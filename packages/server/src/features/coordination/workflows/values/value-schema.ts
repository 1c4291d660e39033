import { isJsonMap, type JsonData } from '../../../../resources/index.ts';
import { parsedJson } from '../json-schema.ts';

/** Violations of a JSON Schema 2020-12, each readable. */
export type SchemaCheck = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[];

/** Why a value does not fit a schema text, '' when it does; an empty text allows everything. */
export const schemaProblem = (check: SchemaCheck, schemaText: string, value: JsonData): string => {
  if (schemaText === '') return '';
  const schema = parsedJson(schemaText)?.json;
  if (schema === false) return 'the schema allows no value';
  return isJsonMap(schema) ? check(schema, value).join('; ') : '';
};
