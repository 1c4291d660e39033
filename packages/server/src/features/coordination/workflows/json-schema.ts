import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import { errorText, parseJsonText } from '../../../base/index.ts';
import { isJsonMap, type JsonData } from '../../../resources/index.ts';

const require = createRequire(import.meta.url);
const PROBLEM_MAX = 300;

/** Why a text is not a usable JSON Schema 2020-12, '' when it is one. Nothing is ever fetched. */
export const schemaProblem = (text: string): string => {
  const value = parsedJson(text);
  if (value === undefined) return 'must be JSON';
  if (typeof value.json !== 'boolean' && !isJsonMap(value.json)) return 'must be a JSON Schema: an object or a boolean';
  return compileProblem(value.json as boolean | object);
};

/** Judges schemas by the meta-schema of 2020-12, which takes as long to compile as thirty of them; keeps nothing of what it judges. */
let judge: Ajv2020 | undefined;

/** The library is loaded at the first schema of the process; each schema has its own compiler, so ids never clash. */
const compileProblem = (schema: boolean | object): string => {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const options = { strict: false, validateFormats: false, logger: false } as const;
  judge ??= new Ajv2020(options);
  try {
    if (judge.validateSchema(schema) !== true) return unusable(`schema is invalid: ${judge.errorsText()}`);
    const check = new Ajv2020({ ...options, validateSchema: false }).compile(schema);
    // No word of 2020-12: the library would answer a promise, and no one waits for its rejection.
    return '$async' in check ? unusable('$async is not supported') : '';
  } catch (error) {
    return unusable(errorText(error));
  }
};

const unusable = (problem: string): string => `is not a usable JSON Schema: ${problem.slice(0, PROBLEM_MAX)}`;

/** A parsed JSON text; undefined when it is not one. */
export const parsedJson = (text: string): { readonly json: JsonData } | undefined => {
  try {
    return { json: parseJsonText(text) as JsonData };
  } catch {
    return undefined;
  }
};
