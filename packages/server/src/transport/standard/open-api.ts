import { type JsonSchema, MessageSchemas } from '../../operations/index.ts';
import type { MethodEntry } from '../dispatcher/index.ts';
import { isQueryField } from '../rest/index.ts';

type Json = JsonSchema;

const PREFIX = '#/components/schemas/';

const errorSchema: Json = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'integer' },
        status: { type: 'string' },
        message: { type: 'string' },
        details: {
          type: 'array',
          items: { type: 'object', properties: { '@type': { type: 'string' } }, additionalProperties: true },
        },
      },
    },
  },
};

const parametersOf = (method: MethodEntry, names: ReadonlySet<string>, book: MessageSchemas): Json[] => {
  const path = [...names].map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
  if (method.http?.body === '*') return path;
  const fields = method.input.fields.filter((field) => !names.has(field.name) && isQueryField(field));
  return [...path, ...fields.map((field) => ({ name: field.jsonName, in: 'query', schema: book.field(field) }))];
};

/** Of operations that are described and that this version answers with UNIMPLEMENTED. */
const NOT_SERVED: Json = {
  'x-svc-not-served': true,
  description: 'This version does not serve this operation: it answers 501 UNIMPLEMENTED, reason METHOD_UNKNOWN.',
};

const operationOf = (method: MethodEntry, names: ReadonlySet<string>, book: MessageSchemas): Json => {
  const [service = '', name = ''] = method.operation.split('/');
  const content = method.streaming
    ? {
        'application/x-ndjson': { schema: book.message(method.output) },
        'text/event-stream': { schema: { type: 'string' } },
      }
    : { 'application/json': { schema: book.message(method.output) } };
  const body = { content: { 'application/json': { schema: book.message(method.input) } } };
  return {
    operationId: name,
    tags: [service],
    ...(method.mounted ? {} : NOT_SERVED),
    parameters: parametersOf(method, names, book),
    ...(method.http?.body === '*' ? { requestBody: body } : {}),
    responses: {
      '200': { description: 'OK', content },
      default: { description: 'Fault', content: { 'application/json': { schema: { $ref: `${PREFIX}Error` } } } },
    },
  };
};

/** OpenAPI 3.1 description of the REST bindings, read from the descriptors. */
export const openApi = (methods: readonly MethodEntry[], version: string): Json => {
  const book = new MessageSchemas(PREFIX);
  book.schemas['Error'] = errorSchema;
  const paths: Record<string, Json> = {};
  for (const method of methods) {
    if (method.http === undefined) continue;
    const names = new Set([...method.http.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? ''));
    const row = paths[method.http.path] ?? {};
    paths[method.http.path] = row;
    row[method.http.verb.toLowerCase()] = operationOf(method, names, book);
  }
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'bearer' },
    basic: { type: 'http', scheme: 'basic' },
    apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
  };
  return {
    openapi: '3.1.0',
    info: { title: 'svc', version },
    paths,
    components: { schemas: book.schemas, securitySchemes },
    security: [{ bearer: [] }, { basic: [] }, { apiKey: [] }],
  };
};
