import type { ToolRegistry } from '../contract.ts';
import { createSchemaCheck } from '../schema-check.ts';

const check = createSchemaCheck();
/** The first schema of each text: what was compiled is found by the object. */
const schemas = new Map<string, Readonly<Record<string, unknown>>>();

/**
 * The schema check of all registries of one process of tests. The validator library takes longer to get ready, and to compile a
 * schema, than most tests of the runtime run, and those make a registry for each process that they start and kill.
 */
export const sharedSchemaCheck: ToolRegistry['check'] = (schema, value) => {
  const text = JSON.stringify(schema);
  const first = schemas.get(text) ?? schema;
  schemas.set(text, first);
  return check(first, value);
};
