import { createRequire } from 'node:module';
import { isJsonMap, type JsonData } from '../../resources/index.ts';

const require = createRequire(import.meta.url);
const PROBLEM_MAX = 300;

/** Why a text is no usable JSON Schema 2020-12, '' when it is one. Nothing is ever fetched. */
export const schemaProblem = (text: string): string => {
  const value = parsedJson(text);
  if (value === undefined) return 'must be JSON';
  if (typeof value.json !== 'boolean' && !isJsonMap(value.json)) return 'must be a JSON Schema: an object or a boolean';
  return compileProblem(value.json as boolean | object);
};

/** The library is loaded at the first schema of the process; each schema has its own compiler, so ids never clash. */
const compileProblem = (schema: boolean | object): string => {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const compiler = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  try {
    compiler.compile(schema);
    return '';
  } catch (error) {
    return `is no usable JSON Schema: ${(error instanceof Error ? error.message : String(error)).slice(0, PROBLEM_MAX)}`;
  }
};

/** A parsed JSON text; undefined when it is none. */
export const parsedJson = (text: string): { readonly json: JsonData } | undefined => {
  try {
    return { json: JSON.parse(text) as JsonData };
  } catch {
    return undefined;
  }
};
