import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, Options, ValidateFunction } from 'ajv/dist/2020.js';
import { errorText } from '../base/index.ts';

/** A JSON Schema as plain data. */
type JsonSchema = Readonly<Record<string, unknown>>;

const require = createRequire(import.meta.url);

/**
 * Violations of a schema (JSON Schema 2020-12), such as that of a tool's input. The validator library is loaded at the first check
 * of the process, not at its start. Formats are annotations. If the schema of a remote tool does not compile, only that the input is
 * an object is checked: its server decides then.
 */
export const createSchemaCheck = (): ((schema: JsonSchema, value: unknown) => readonly string[]) => {
  const compiled = new WeakMap<JsonSchema, ValidateFunction | 'unusable'>();
  return (schema, value) => {
    let check = compiled.get(schema);
    if (check === undefined) {
      check = compileOrNot(schema);
      compiled.set(schema, check);
    }
    if (check === 'unusable') return isObject(value) ? [] : ['must be an object'];
    try {
      return check(value) ? [] : (check.errors ?? []).map(violation);
    } catch (error) {
      // That a schema refers to itself without end shows only in use.
      return [`cannot be checked: ${errorText(error)}`];
    }
  };
};

/** Why a schema cannot be used at all, undefined when it can. */
export const schemaProblem = (schema: JsonSchema): string | undefined => {
  try {
    return '$async' in compile(schema) ? 'must not be asynchronous' : undefined;
  } catch (error) {
    return `is not a usable JSON Schema: ${errorText(error)}`;
  }
};

const compileOrNot = (schema: JsonSchema): ValidateFunction | 'unusable' => {
  try {
    const check = compile(schema);
    // `$async` would return a promise whose rejection is never handled.
    return '$async' in check ? 'unusable' : check;
  } catch {
    return 'unusable';
  }
};

/** Of the process: to compile the meta-schema of 2020-12 takes as long as thirty schemas. */
let shared: Ajv2020 | undefined;

/** Throws for what is not a usable schema. */
const compile = (schema: JsonSchema): ValidateFunction => {
  shared ??= newAjv();
  const own = { ...schema };
  if (mayNameItself(schema)) {
    shared.validateSchema(own, true);
    return newAjv({ validateSchema: false }).compile(own);
  }
  try {
    return shared.compile(own);
  } finally {
    // A schema is known while it is compiled, so that it can refer to itself. The library would keep it for ever; what it made of it
    // stays usable.
    shared.removeSchema(own);
  }
};

/** The name of a schema stands for it in everything else that is compiled there, and may be that of the meta-schema. */
const mayNameItself = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('"$id"');

const newAjv = (options: Options = {}): Ajv2020 => {
  const library = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new library.Ajv2020({ allErrors: true, strict: false, validateFormats: false, logger: false, ...options });
};

const isObject = (input: unknown): boolean => typeof input === 'object' && input !== null && !Array.isArray(input);

const violation = (error: ErrorObject): string => {
  const at = error.instancePath === '' ? '' : `${error.instancePath.slice(1).replaceAll('/', '.')} `;
  const names = error.params as Readonly<Record<string, unknown>>;
  if (error.keyword === 'additionalProperties')
    return `${at}must not have ${JSON.stringify(names['additionalProperty'])}`;
  if (error.keyword === 'enum') return `${at}must be one of ${JSON.stringify(names['allowedValues'])}`;
  return `${at}${error.message ?? 'is not valid'}`;
};
