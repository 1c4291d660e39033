import { createRequire } from 'node:module';
import { parseJsonText } from '../../../base/index.ts';

/** Problems of a value under a JSON Schema 2020-12 text, [] for none; a schema that does not compile refuses nothing. */
export type InputCheck = (schemaText: string, value: unknown) => readonly string[];

const require = createRequire(import.meta.url);

/** The validator library is loaded at the first check of the process; nothing of a schema stays. */
export const createInputCheck = (): InputCheck => (schemaText, value) => {
  const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  // Whether it is a schema was judged when the workflow was written.
  const compiler = new Ajv2020({
    allErrors: true,
    strict: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
  });
  try {
    const schema: unknown = parseJsonText(schemaText);
    if (typeof schema !== 'object' || schema === null) return [];
    const check = compiler.compile(schema);
    // `$async` would answer a promise, whose rejection no one waits for.
    if ('$async' in check || check(value)) return [];
    return (check.errors ?? []).map((error) => `${error.instancePath} ${error.message ?? 'is not valid'}`.trim());
  } catch {
    // The workflow itself shows that its schema is broken.
    return [];
  }
};
