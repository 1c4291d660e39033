import { interrupt, type LineTerminal } from '../host.ts';
import { harmless } from '../terminal/index.ts';

/** Asking a person for data by its JSON Schema, one line for each property. */

type JsonSchema = Readonly<Record<string, unknown>>;

interface DataField {
  /** Property of the answer; '' where the answer is this one value. */
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly type: string;
  readonly choices: readonly unknown[];
  readonly isRequired: boolean;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The schema of a request; any value where there is none. */
const schemaOf = (json: string): JsonSchema => {
  const schema: unknown = json === '' ? {} : JSON.parse(json);
  return isSchema(schema) ? schema : {};
};

const fieldOf = (name: string, schema: JsonSchema, isRequired: boolean): DataField => ({
  name,
  label: text(schema['title']) || name || 'answer',
  description: text(schema['description']),
  type: text(schema['type']),
  choices: Array.isArray(schema['enum']) ? schema['enum'] : [],
  isRequired,
});

const fieldsOf = (schema: JsonSchema): readonly DataField[] => {
  const properties = isSchema(schema['properties']) ? Object.entries(schema['properties']) : [];
  if (schema['type'] !== 'object' || properties.length === 0) return [fieldOf('', schema, true)];
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  return properties.map(([name, property]) => fieldOf(name, isSchema(property) ? property : {}, required.has(name)));
};

const hintOf = ({ type, choices, isRequired }: DataField): string => {
  const kinds = choices.length > 0 ? choices.map(String).join('/') : type === 'boolean' ? 'yes/no' : '';
  const shown = [kinds, isRequired ? '' : 'empty to leave out'].filter((part) => part !== '').join(', ');
  return shown === '' ? '' : ` (${shown})`;
};

const WORDS: Readonly<Record<string, boolean>> = { y: true, yes: true, true: true, n: false, no: false, false: false };

type Read = { readonly value: unknown } | { readonly problem: string };

/** What a line says for a field; the server checks it by the whole schema. */
const valueIn = (line: string, { type, choices, isRequired }: DataField): Read => {
  if (line === '') return isRequired ? { problem: 'please write something' } : { value: undefined };
  const choice = choices.find((one) => String(one) === line);
  if (choices.length > 0)
    return choice === undefined
      ? { problem: `please write one of ${choices.map(String).join(', ')}` }
      : { value: choice };
  if (type === 'string') return { value: line };
  if (type === 'number' || type === 'integer')
    return Number.isNaN(Number(line)) ? { problem: 'please write a number' } : { value: Number(line) };
  if (type === 'boolean') {
    const word = WORDS[line.toLowerCase()];
    return word === undefined ? { problem: 'please write yes or no' } : { value: word };
  }
  try {
    return { value: JSON.parse(line) as unknown };
  } catch {
    return type === '' ? { value: line } : { problem: 'please write JSON' };
  }
};

/** Asks for the data of a request, line by line; undefined when the person interrupted. */
export const askData = async (
  terminal: Pick<LineTerminal, 'ask'>,
  write: (text: string) => void,
  schemaJson: string,
): Promise<{ readonly value: unknown } | undefined> => {
  const fields = fieldsOf(schemaOf(schemaJson));
  const answered: [string, unknown][] = [];
  for (const field of fields) {
    if (field.description !== '') write(`  ${harmless(field.description)}\n`);
    const read = await askField(terminal, write, field);
    if (read === undefined) return undefined;
    if (fields.length === 1 && field.name === '') return read;
    if (read.value !== undefined) answered.push([field.name, read.value]);
  }
  return { value: Object.fromEntries(answered) };
};

const askField = async (
  terminal: Pick<LineTerminal, 'ask'>,
  write: (text: string) => void,
  field: DataField,
): Promise<{ readonly value: unknown } | undefined> => {
  for (;;) {
    const line = await terminal.ask(`${harmless(field.label)}${hintOf(field)}: `);
    if (line === interrupt || line === undefined) return undefined;
    const read = valueIn(line.trim(), field);
    if ('value' in read) return read;
    write(`${read.problem}\n`);
  }
};
