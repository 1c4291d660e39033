import { controlOf, isValues, type JsonSchema, resolved, typeOf } from './schema.ts';

/** What is wrong, by the place of the value as a JSON pointer: '' is the whole, `/items/0/name` a value inside. */
export type Problems = ReadonlyMap<string, string>;

interface Place {
  readonly schema: JsonSchema;
  readonly value: unknown;
  readonly path: string;
  readonly root: JsonSchema;
}

/** Checks a value as the form shows it. The server has the last word: it knows more of JSON Schema. */
export const problemsOf = (schema: JsonSchema, value: unknown): Problems =>
  new Map(found({ schema, value, path: '', root: schema }));

type Found = readonly (readonly [path: string, text: string])[];

const found = ({ schema, value, path, root }: Place): Found => {
  const own = resolved(schema, root);
  const place = { schema: own, value, path, root };
  if (value === undefined) return [];
  const text = ownProblem(own, value);
  if (text !== undefined) return [[path, text]];
  if (controlOf(own) === 'object') return inObject(place);
  return controlOf(own) === 'array' ? inArray(place) : [];
};

const inObject = ({ schema, value, path, root }: Place): Found => {
  const values = isValues(value) ? value : {};
  const missing = (schema.required ?? [])
    .filter((name) => values[name] === undefined)
    .map((name) => [`${path}/${name}`, 'Required'] as const);
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, each]) =>
    found({ schema: each, value: values[name], path: `${path}/${name}`, root }),
  );
  return [...missing, ...inner];
};

const inArray = ({ schema, value, path, root }: Place): Found => {
  const { items } = schema;
  if (items === undefined || !Array.isArray(value)) return [];
  return value.flatMap((each: unknown, index) =>
    each === undefined
      ? [[`${path}/${index}`, 'Required'] as const]
      : found({ schema: items, value: each, path: `${path}/${index}`, root }),
  );
};

const ownProblem = (schema: JsonSchema, value: unknown): string | undefined => {
  if (value === null && Array.isArray(schema.type) && schema.type.includes('null')) return undefined;
  if (schema.const !== undefined && !isSame(schema.const, value)) return `Must be ${JSON.stringify(schema.const)}`;
  if (schema.enum !== undefined) {
    return schema.enum.some((each) => isSame(each, value)) ? undefined : 'Must be one of the choices';
  }
  return CHECKS[typeOf(schema)]?.(schema, value);
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The first text whose condition holds. */
const first = (...checks: readonly (readonly [isWrong: boolean, text: string])[]): string | undefined =>
  checks.find(([isWrong]) => isWrong)?.[1];

const textProblem = (schema: JsonSchema, value: unknown): string | undefined => {
  if (typeof value !== 'string') return 'Must be a text';
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format = '' } = schema;
  const length = [...value].length;
  return first(
    [length < minLength, `At least ${minLength} characters`],
    [length > maxLength, `At most ${maxLength} characters`],
    [pattern !== undefined && !matches(pattern, value), `Must match ${pattern}`],
    [FORMATS[format]?.isWrong(value) ?? false, FORMATS[format]?.text ?? ''],
  );
};

/** A pattern that no browser can read is left to the server. */
const matches = (pattern: string, value: string): boolean => {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
};

const FORMATS: Readonly<Record<string, { readonly isWrong: (value: string) => boolean; readonly text: string }>> = {
  email: { isWrong: (value) => !/^[^@\s]+@[^@\s]+$/.test(value), text: 'Must be an e-mail address' },
  uri: { isWrong: (value) => !URL.canParse(value), text: 'Must be an address such as https://example.com' },
  date: { isWrong: (value) => !/^\d{4}-\d\d-\d\d$/.test(value), text: 'Must be a date such as 2030-01-31' },
  'date-time': { isWrong: (value) => Number.isNaN(Date.parse(value)), text: 'Must be a date with a time' },
};

const numberProblem = (schema: JsonSchema, value: unknown): string | undefined => {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'Must be a number';
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  return first(
    [typeOf(schema) === 'integer' && !Number.isInteger(value), 'Must be a whole number'],
    [minimum !== undefined && value < minimum, `At least ${minimum}`],
    [maximum !== undefined && value > maximum, `At most ${maximum}`],
    [exclusiveMinimum !== undefined && value <= exclusiveMinimum, `More than ${exclusiveMinimum}`],
    [exclusiveMaximum !== undefined && value >= exclusiveMaximum, `Less than ${exclusiveMaximum}`],
    [multipleOf !== undefined && !isMultiple(value, multipleOf), `A multiple of ${multipleOf}`],
  );
};

/** Allows for the rounding of fractions such as 0.1. */
const isMultiple = (value: number, step: number): boolean =>
  Math.abs(value / step - Math.round(value / step)) < Number.EPSILON * Math.max(1, Math.abs(value / step));

const listProblem = ({ minItems = 0, maxItems }: JsonSchema, value: unknown): string | undefined => {
  if (!Array.isArray(value)) return 'Must be a list';
  return first(
    [value.length < minItems, `At least ${minItems}`],
    [maxItems !== undefined && value.length > maxItems, `At most ${maxItems}`],
  );
};

const CHECKS: Readonly<Record<string, (schema: JsonSchema, value: unknown) => string | undefined>> = {
  string: textProblem,
  number: numberProblem,
  integer: numberProblem,
  array: listProblem,
  boolean: (_schema, value) => (typeof value === 'boolean' ? undefined : 'Must be yes or no'),
  object: (_schema, value) => (isValues(value) ? undefined : 'Must be an object'),
};
