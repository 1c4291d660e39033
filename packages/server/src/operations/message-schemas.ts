import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';

/** A JSON Schema as plain data. */
export type JsonSchema = Record<string, unknown>;

const scalarSchemas: Readonly<Partial<Record<ScalarType, JsonSchema>>> = {
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

const wellKnown: Readonly<Record<string, JsonSchema>> = {
  'google.protobuf.ListValue': { type: 'array', items: {} },
  'google.protobuf.FieldMask': { type: 'string' },
};

/** JSON Schemas of all messages and enums that are reached, each once, under a prefix of the document that holds them. */
export class MessageSchemas {
  readonly schemas: JsonSchema = {};
  readonly #prefix: string;

  /** `prefix`: where a document keeps shared schemas, such as `#/components/schemas/` (RFC 6901 fragment). */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Refers to the schema of the message, which is added with all that it needs. */
  message(desc: DescMessage): JsonSchema {
    const known = wellKnown[desc.typeName];
    if (known !== undefined) return known;
    if (!(desc.typeName in this.schemas)) {
      const properties: JsonSchema = {};
      this.schemas[desc.typeName] = { type: 'object', properties };
      for (const field of desc.fields) properties[field.jsonName] = this.field(field);
    }
    return this.#reference(desc.typeName);
  }

  field(field: DescField): JsonSchema {
    if (field.fieldKind === 'list') return { type: 'array', items: this.#element(field) };
    if (field.fieldKind === 'map') return { type: 'object', additionalProperties: this.#element(field) };
    return this.#element(field);
  }

  #element(field: DescField): JsonSchema {
    if (field.message !== undefined) return this.message(field.message);
    if (field.enum !== undefined) return this.#enum(field.enum);
    return scalarSchemas[field.scalar ?? ScalarType.STRING] ?? { type: 'string' };
  }

  #enum(desc: DescEnum): JsonSchema {
    this.schemas[desc.typeName] ??= { type: 'string', enum: desc.values.map((value) => value.name) };
    return this.#reference(desc.typeName);
  }

  #reference(name: string): JsonSchema {
    return { $ref: `${this.#prefix}${name}` };
  }
}
