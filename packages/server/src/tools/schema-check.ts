import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
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
  let ajv: Ajv2020 | undefined;
  return (schema, value) => {
    ajv ??= newAjv();
    let check = compiled.get(schema);
    if (check === undefined) {
      check = compile(ajv, schema);
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

const newAjv = (): Ajv2020 => {
  const library = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new library.Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    logger: false,
  });
};

const compile = (ajv: Ajv2020, schema: JsonSchema): ValidateFunction | 'unusable' => {
  const own = { ...schema };
  try {
    const check = ajv.compile(own);
    // `$async` would return a promise whose rejection is never handled.
    return '$async' in check ? 'unusable' : check;
  } catch {
    return 'unusable';
  } finally {
    // A schema is known while it is compiled, so that it can refer to itself. The library would keep it for ever; what it made of it
    // stays usable.
    ajv.removeSchema(own);
  }
};

/** Why a schema cannot be used at all, undefined when it can. */
export const schemaProblem = (schema: JsonSchema): string | undefined => {
  try {
    const check = newAjv().compile({ ...schema });
    return '$async' in check ? 'must not be asynchronous' : undefined;
  } catch (error) {
    return `is not a usable JSON Schema: ${error instanceof Error ? error.message : String(error)}`;
  }
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
