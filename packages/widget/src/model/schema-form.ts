/** Forms that ask for data by its JSON Schema, and the data that a filled form stands for. */

type JsonSchema = Readonly<Record<string, unknown>>;

/** A field of a form. */
export interface FormField {
  /** Properties that lead to its value; none where the answer is this one value. */
  readonly path: readonly string[];
  readonly label: string;
  readonly description: string;
  /** `json` where no other kind fits: the value is written as JSON. */
  readonly kind: 'text' | 'long-text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'json';
  readonly choices: readonly FieldChoice[];
  readonly isRequired: boolean;
  /** The type of an input for texts: text, email, url, date, time or datetime-local. */
  readonly inputType: string;
  /** Limits of a number or of the length of a text. */
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** What the field shows first: a text, or `true`, or the places of choices. */
  readonly initial: FieldValue;
}

interface FieldChoice {
  readonly label: string;
  readonly value: unknown;
}

/** What a person did with a field: text, a box that is checked, or the places of the choices that were made. */
export type FieldValue = string | boolean | readonly number[];

/** More fields, or fields deeper inside, are asked for as JSON. */
const MAX_FIELDS = 50;
const MAX_DEPTH = 3;
const LONG_TEXT = 200;

const INPUT_TYPES: Readonly<Record<string, string>> = {
  email: 'email',
  uri: 'url',
  url: 'url',
  date: 'date',
  time: 'time',
};

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** The fields of a form: one for each property of an object, those inside objects included, else one for the whole value. */
export const formFields = (schema: unknown): readonly FormField[] => {
  const root = isSchema(schema) ? schema : {};
  const fields = fieldsOf({ path: [], schema: root, isRequired: true });
  return fields.length > MAX_FIELDS ? [jsonField({ path: [], schema: root, isRequired: true })] : fields;
};

interface Place {
  readonly path: readonly string[];
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
}

const fieldsOf = (place: Place): readonly FormField[] => {
  const { path, schema } = place;
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (typeOf(schema) !== 'object' || properties.length === 0 || path.length >= MAX_DEPTH) return [fieldOf(place)];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return properties.flatMap(([name, property]) =>
    fieldsOf({
      path: [...path, name],
      schema: isSchema(property) ? property : {},
      isRequired: place.isRequired && required.has(name),
    }),
  );
};

/** The type of a value; of a type or null, the type. */
const typeOf = ({ type }: JsonSchema): string => {
  if (!Array.isArray(type)) return textOf(type);
  const types = type.filter((each) => each !== 'null');
  return types.length === 1 ? textOf(types[0]) : '';
};

const jsonField = ({ path, schema, isRequired }: Place): FormField => ({
  path,
  isRequired,
  label: textOf(schema['title']) || (path.at(-1) ?? ''),
  description: textOf(schema['description']),
  kind: 'json',
  choices: [],
  inputType: 'text',
  min: undefined,
  max: undefined,
  initial: schema['default'] === undefined ? '' : JSON.stringify(schema['default']),
});

const fieldOf = (place: Place): FormField => {
  const { schema } = place;
  const base = jsonField(place);
  const given = schema['default'];
  const listed = choicesOf(schema);
  if (listed.length > 0) return { ...base, kind: 'choice', choices: listed, initial: placesOf(listed, [given]) };
  switch (typeOf(schema)) {
    case 'boolean':
      return { ...base, kind: 'boolean', initial: given === true };
    case 'number':
    case 'integer': {
      const limits = { min: numberOf(schema['minimum']), max: numberOf(schema['maximum']) };
      return {
        ...base,
        ...limits,
        kind: typeOf(schema) as 'number' | 'integer',
        initial: String(numberOf(given) ?? ''),
      };
    }
    case 'array': {
      const choices = isSchema(schema['items']) ? choicesOf(schema['items']) : [];
      const initial = placesOf(choices, Array.isArray(given) ? given : []);
      return choices.length === 0 ? base : { ...base, kind: 'choices', choices, initial };
    }
    case 'string':
      return textField(base, schema);
    default:
      return base;
  }
};

const textField = (base: FormField, schema: JsonSchema): FormField => {
  const format = textOf(schema['format']);
  const max = numberOf(schema['maxLength']);
  const isLong = format === 'textarea' || (max !== undefined && max > LONG_TEXT);
  return {
    ...base,
    kind: isLong ? 'long-text' : 'text',
    inputType: INPUT_TYPES[format] ?? 'text',
    min: numberOf(schema['minLength']),
    max,
    initial: textOf(schema['default']),
  };
};

/** The values that a schema lists, by `enum`, or with titles by `oneOf` and `const`. */
const choicesOf = (schema: JsonSchema): readonly FieldChoice[] => {
  const { enum: values, enumNames: names, oneOf, anyOf } = schema;
  if (Array.isArray(values)) {
    const labels = Array.isArray(names) ? names : [];
    return values.map((value, index) => ({ value, label: textOf(labels[index]) || labelOf(value) }));
  }
  const titled = [oneOf, anyOf].find(Array.isArray) ?? [];
  const isList = titled.length > 0 && titled.every((each) => isSchema(each) && 'const' in each);
  if (!isList) return [];
  return titled.map((each: JsonSchema) => ({
    value: each['const'],
    label: textOf(each['title']) || labelOf(each['const']),
  }));
};

const labelOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const placesOf = (choices: readonly FieldChoice[], values: readonly unknown[]): readonly number[] =>
  choices.flatMap(({ value }, index) => (values.includes(value) ? [index] : []));

/** Name of a field in a form. */
export const fieldName = ({ path }: Pick<FormField, 'path'>): string => path.join('.');

/** Why the value of a field cannot be used. */
export type FieldProblem = 'missing' | 'number' | 'json';

/** The data that a filled form stands for, or the problems of its fields by name. The server checks it by the schema. */
export const formData = (
  fields: readonly FormField[],
  values: ReadonlyMap<string, FieldValue>,
): { readonly data: unknown; readonly problems: ReadonlyMap<string, FieldProblem> } => {
  const problems = new Map<string, FieldProblem>();
  const read = fields.map((field) => {
    const { value, problem } = readField(field, values.get(fieldName(field)) ?? field.initial);
    if (problem !== undefined) problems.set(fieldName(field), problem);
    return [field.path, value] as const;
  });
  const [first] = read;
  if (first !== undefined && first[0].length === 0) return { data: first[1] ?? null, problems };
  const data: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [path, value] of read) if (value !== undefined) put(data, path, value);
  return { data, problems };
};

/** Objects without a prototype: a property may have any name. */
const put = (data: Record<string, unknown>, path: readonly string[], value: unknown): void => {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    data[name] = value;
    return;
  }
  data[name] ??= Object.create(null);
  put(data[name] as Record<string, unknown>, rest, value);
};

interface ReadValue {
  readonly value?: unknown;
  readonly problem?: FieldProblem;
}

const readField = (field: FormField, value: FieldValue): ReadValue => {
  if (field.kind === 'boolean') return { value: value === true };
  if (typeof value === 'object') return readChoices(field, value);
  const text = typeof value === 'string' ? value : '';
  if (text.trim() === '') return field.isRequired ? { problem: 'missing' } : {};
  if (field.kind === 'number' || field.kind === 'integer') return readNumber(field.kind, text);
  return field.kind === 'json' ? readJson(text) : { value: text };
};

const readChoices = (field: FormField, places: readonly number[]): ReadValue => {
  const chosen = places.flatMap((place) => field.choices[place] ?? []).map(({ value }) => value);
  if (field.kind === 'choices') return { value: chosen };
  if (chosen.length > 0) return { value: chosen[0] };
  return field.isRequired ? { problem: 'missing' } : {};
};

const readNumber = (kind: 'number' | 'integer', text: string): ReadValue => {
  const value = Number(text.trim());
  const isRight = Number.isFinite(value) && (kind === 'number' || Number.isInteger(value));
  return isRight ? { value } : { problem: 'number' };
};

const readJson = (text: string): ReadValue => {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return { problem: 'json' };
    throw error;
  }
};
