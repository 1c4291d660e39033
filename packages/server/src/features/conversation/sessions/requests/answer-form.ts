import { JSON_DEPTH, parseJsonText } from '../../../../base/index.ts';

/** Forms that ask for the data of a request by its JSON Schema, and the answer that a filled form stands for. Pure. */

type JsonSchema = Readonly<Record<string, unknown>>;

export interface FormField {
  /** Property of the answer; '' where the answer is this one value. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'json';
  readonly choices: readonly string[];
  readonly isRequired: boolean;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const KINDS: Readonly<Record<string, FormField['kind']>> = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
};

const fieldOf = (name: string, schema: JsonSchema, isRequired: boolean): FormField => {
  const listed = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const isChoice = listed.length > 0 && listed.every((value) => typeof value === 'string');
  const kind = isChoice ? 'choice' : (KINDS[text(schema['type'])] ?? 'json');
  return {
    name,
    label: text(schema['title']) || name,
    description: text(schema['description']),
    kind,
    choices: isChoice ? (listed as string[]) : [],
    isRequired,
  };
};

/** The fields of a form: one for each property of an object, else one for the whole value. */
export const formFields = (schema: JsonSchema): readonly FormField[] => {
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  const isFlat = schema['type'] === 'object' && properties.length > 0;
  if (!isFlat) return [{ ...fieldOf('', schema, true), label: text(schema['title']) || 'Your answer' }];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return properties.map(([name, property]) => fieldOf(name, isSchema(property) ? property : {}, required.has(name)));
};

/** Name of the input that a field has in the page. */
export const inputName = (field: FormField): string => `field.${field.name}`;

const sentValue = (field: FormField, sent: string | null): unknown => {
  if (field.kind === 'boolean') return sent !== null;
  if (sent === null || (sent === '' && !field.isRequired)) return undefined;
  if (field.kind === 'number') return sent.trim() !== '' && Number.isFinite(Number(sent)) ? Number(sent) : sent;
  return field.kind === 'json' ? jsonOr(sent) : sent;
};

/** What is not JSON, or nests too deep, stays text: the check by the schema says what is wrong. */
const jsonOr = (sent: string): unknown => {
  try {
    return parseJsonText(sent, JSON_DEPTH);
  } catch {
    return sent;
  }
};

/** The answer that a filled form stands for; the check by the schema refuses values that do not fit. */
export const formValue = (fields: readonly FormField[], sent: URLSearchParams): unknown => {
  const values = fields.map((field) => [field.name, sentValue(field, sent.get(inputName(field)))] as const);
  const [only] = values;
  if (fields.length === 1 && only?.[0] === '') return only[1] ?? null;
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
};
