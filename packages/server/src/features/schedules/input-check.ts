import { createRequire } from 'node:module';
import type { Ajv2020 } from 'ajv/dist/2020.js';

/** Problems of a value under a JSON Schema 2020-12 text, [] for none; a schema that does not compile refuses nothing. */
export type InputCheck = (schemaText: string, value: unknown) => readonly string[];

const require = createRequire(import.meta.url);

/** The validator library is loaded at the first check of the process. */
export const createInputCheck = (): InputCheck => {
  let ajv: Ajv2020 | undefined;
  return (schemaText, value) => {
    ajv ??= newAjv();
    try {
      const schema: unknown = JSON.parse(schemaText);
      if (typeof schema !== 'object' || schema === null) return [];
      const check = ajv.compile(schema);
      if (check(value)) return [];
      return (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? 'is not valid'}`.trim());
    } catch {
      // The workflow itself shows that its schema is broken.
      return [];
    }
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
