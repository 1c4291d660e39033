import { isJsonMap, type JsonData } from '../../../../resources/index.ts';
import { parsedJson } from '../json-schema.ts';

/** Violations of a JSON Schema 2020-12, each readable. */
export type SchemaCheck = (schema: Readonly<Record<string, unknown>>, value: unknown) => readonly string[];

/** Violations, and characters of them, that a problem shows. */
const VIOLATIONS_SHOWN = 20;
const CHARS_SHOWN = 2_000;

/** Why a value does not fit a schema text, '' when it does; an empty text allows everything. */
export const schemaProblem = (check: SchemaCheck, schemaText: string, value: JsonData): string => {
  if (schemaText === '') return '';
  const schema = parsedJson(schemaText)?.json;
  if (schema === false) return 'the schema allows no value';
  const violations = isJsonMap(schema) ? check(schema, value) : [];
  return violations.slice(0, VIOLATIONS_SHOWN).join('; ').slice(0, CHARS_SHOWN);
};
