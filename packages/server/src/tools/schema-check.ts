import { createRequire } from 'node:module';
import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { Tool } from './contract.ts';

const require = createRequire(import.meta.url);

/**
 * Violations of a tool's input schema (JSON Schema 2020-12). The validator library is loaded at the first check
 * of the process, not at its start. Formats are annotations. If the schema of a remote tool does not compile, only that the input is
 * an object is checked: its server decides then.
 */
export const createSchemaCheck = (): ((tool: Tool, input: unknown) => readonly string[]) => {
  const compiled = new WeakMap<Tool['inputSchema'], ValidateFunction | 'unusable'>();
  let ajv: Ajv2020 | undefined;
  return (tool, input) => {
    ajv ??= newAjv();
    let check = compiled.get(tool.inputSchema);
    if (check === undefined) {
      check = compile(ajv, tool);
      compiled.set(tool.inputSchema, check);
    }
    if (check === 'unusable') return isObject(input) ? [] : ['must be an object'];
    return check(input) ? [] : (check.errors ?? []).map(violation);
  };
};

const newAjv = (): Ajv2020 => {
  const library = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new library.Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    logger: false,
  });
};

const compile = (ajv: Ajv2020, tool: Tool): ValidateFunction | 'unusable' => {
  try {
    const check = ajv.compile({ ...tool.inputSchema });
    // `$async` would return a promise whose rejection is never handled.
    return '$async' in check ? 'unusable' : check;
  } catch {
    return 'unusable';
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
