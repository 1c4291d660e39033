import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import type { MethodEntry } from '../dispatcher/index.ts';
import { isQueryField } from '../rest/index.ts';

type Json = Record<string, unknown>;

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const scalarSchemas: Readonly<Partial<Record<ScalarType, Json>>> = {
  [ScalarType.STRING]: { type: 'string' },
  [ScalarType.BOOL]: { type: 'boolean' },
  [ScalarType.BYTES]: { type: 'string', format: 'byte' },
  [ScalarType.INT32]: { type: 'integer', format: 'int32' },
  [ScalarType.UINT32]: { type: 'integer', format: 'int64', minimum: 0 },
  [ScalarType.INT64]: { type: 'string', format: 'int64' },
  [ScalarType.UINT64]: { type: 'string', format: 'uint64' },
  [ScalarType.FLOAT]: { type: 'number', format: 'float' },
  [ScalarType.DOUBLE]: { type: 'number', format: 'double' },
};

const wellKnown: Readonly<Record<string, Json>> = {
  'google.protobuf.ListValue': { type: 'array', items: {} },
  'google.protobuf.FieldMask': { type: 'string' },
};

/** Schemas of all messages and enums that a set of operations reaches. */
class SchemaBook {
  readonly schemas: Json = {};

  message(desc: DescMessage): Json {
    const known = wellKnown[desc.typeName];
    if (known !== undefined) return known;
    if (!(desc.typeName in this.schemas)) {
      const properties: Json = {};
      this.schemas[desc.typeName] = { type: 'object', properties };
      for (const field of desc.fields) properties[field.jsonName] = this.field(field);
    }
    return reference(desc.typeName);
  }

  field(field: DescField): Json {
    if (field.fieldKind === 'list') return { type: 'array', items: this.#element(field) };
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: this.#element(field) };
    return this.#element(field);
  }

  #element(field: DescField): Json {
    if (field.message !== undefined) return this.message(field.message);
    if (field.enum !== undefined) return this.#enum(field.enum);
    return scalarSchemas[field.scalar ?? ScalarType.STRING] ?? { type: 'string' };
  }

  #enum(desc: DescEnum): Json {
    this.schemas[desc.typeName] ??= { type: 'string', enum: desc.values.map((value) => value.name) };
    return reference(desc.typeName);
  }
}

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

const parametersOf = (method: MethodEntry, names: ReadonlySet<string>, book: SchemaBook): Json[] => {
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

const operationOf = (method: MethodEntry, names: ReadonlySet<string>, book: SchemaBook): Json => {
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
      default: { description: 'Fault', content: { 'application/json': { schema: reference('Error') } } },
    },
  };
};

/** OpenAPI 3.1 description of the REST bindings, read from the descriptors. */
export const openApi = (methods: readonly MethodEntry[], version: string): Json => {
  const book = new SchemaBook();
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
