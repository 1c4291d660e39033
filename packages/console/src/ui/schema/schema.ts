/** The parts of JSON Schema that a form can show; anything else is edited as JSON. https://json-schema.org/draft/2020-12 */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
}

/** Which control shows a schema; `json` is a text of JSON, for all that the others cannot show. */
export type ControlKind = 'object' | 'array' | 'choice' | 'boolean' | 'number' | 'text' | 'json';

/** A value that is an object of named values. */
export type Values = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, ControlKind>> = {
  array: 'array',
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  string: 'text',
};

/** True for an object that is not a list. */
export const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema in a JSON text, such as `schema_json` of a request; undefined when there is none. */
export const schemaOf = (text: string): JsonSchema | undefined => {
  try {
    const found: unknown = JSON.parse(text);
    return isValues(found) ? found : undefined;
  } catch {
    return undefined;
  }
};

/** The schema that a reference inside of `root` points to; others are not followed. */
export const resolved = (schema: JsonSchema, root: JsonSchema): JsonSchema => {
  const [, group = '', name = ''] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema.$ref ?? '') ?? [];
  const found = (group === '$defs' ? root.$defs : root.definitions)?.[name];
  return found === undefined ? schema : { ...found, ...withoutReference(schema) };
};

const withoutReference = ({ $ref: _, ...rest }: JsonSchema): JsonSchema => rest;

/** The type of a schema that also allows null is the other one. */
export const typeOf = ({ type, properties }: JsonSchema): string => {
  const types = (typeof type === 'string' ? [type] : (type ?? [])).filter((each) => each !== 'null');
  if (types.length === 1) return types[0] ?? '';
  return types.length === 0 && properties !== undefined ? 'object' : '';
};

/** The control for a schema without references. */
export const controlOf = (schema: JsonSchema): ControlKind => {
  if (schema.enum !== undefined) return 'choice';
  const type = typeOf(schema);
  if (type === 'object') return Object.keys(schema.properties ?? {}).length > 0 ? 'object' : 'json';
  return type === 'array' && schema.items === undefined ? 'json' : (KINDS[type] ?? 'json');
};

/** What a form begins with: the defaults, and objects that must be there. Undefined where nothing is said. */
export const initialValue = (schema: JsonSchema, root: JsonSchema = schema): unknown => {
  const own = resolved(schema, root);
  if (own.default !== undefined) return own.default;
  if (own.const !== undefined) return own.const;
  if (controlOf(own) !== 'object') return undefined;
  const entries = Object.entries(own.properties ?? {})
    .filter(([name, inner]) => own.required?.includes(name) || resolved(inner, root).default !== undefined)
    .map(([name, inner]) => [name, initialValue(inner, root)] as const)
    .filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
};

/** `before` with another value under a name; undefined takes it out. */
export const withValue = (before: unknown, name: string, value: unknown): Values => {
  const { [name]: _, ...others } = isValues(before) ? before : {};
  return value === undefined ? others : { ...others, [name]: value };
};
