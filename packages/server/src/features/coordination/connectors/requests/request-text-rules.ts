import { isRecord, JSON_DEPTH, parseJsonText, textOrEmpty } from '../../../../base/index.ts';
import { kindOf, type PermissionData } from '../../../../runtime/contract.ts';

type Asked = Pick<PermissionData, 'kind' | 'prompt' | 'options' | 'schema' | 'url'>;

/** What a text answers. */
export interface RequestAnswer {
  readonly optionId: string;
  readonly allow: boolean;
  /** The data that an `input` asks for. */
  readonly value?: unknown;
}

const DECLINE = /^decline$/i;
const NUMBER = /^#?(\d{1,2})[.)]?$/;

/** What a person may choose from, in the order of the numbers that name them; none where a text is asked for. */
export const requestOptions = (asked: Asked): readonly string[] => {
  const kind = kindOf(asked);
  if (kind === 'input') return oneValue(asked.schema)?.choices ?? [];
  return kind === 'sign_in' ? [] : asked.options.map(({ name }) => name);
};

/** The question as a message of a platform. */
export const requestText = (asked: Asked): string => {
  const options = requestOptions(asked);
  const lines = [asked.prompt.trim()];
  if (options.length > 0) lines.push('', ...options.map((name, index) => `${index + 1}. ${name}`));
  return [...lines, '', howToAnswer(asked, options)].join('\n');
};

const howToAnswer = (asked: Asked, options: readonly string[]): string => {
  const kind = kindOf(asked);
  if (kind === 'sign_in') return `Sign in at ${asked.url ?? ''} or answer "decline".`;
  if (kind !== 'input') return 'Answer with a number.';
  if (options.length > 0) return 'Answer with a number, or with "decline".';
  if (oneValue(asked.schema) !== undefined) return 'Answer with a message, or with "decline".';
  return `Answer with JSON that fits ${JSON.stringify(asked.schema)}, or with "decline".`;
};

/** What a text says to the question; undefined when it does not answer it. Whether data fits its schema is checked elsewhere. */
export const answerInText = (asked: Asked, text: string): RequestAnswer | undefined => {
  const said = text.trim();
  const kind = kindOf(asked);
  if (kind === 'input' || kind === 'sign_in') {
    const declined = asked.options.find(({ allow }) => !allow);
    if (DECLINE.test(said)) return declined === undefined ? undefined : { optionId: declined.id, allow: false };
    return kind === 'input' ? dataInText(asked, said) : undefined;
  }
  const names = asked.options.map(({ name }) => name);
  const option = asked.options[chosen(names, said)];
  return option === undefined ? undefined : { optionId: option.id, allow: option.allow };
};

const dataInText = (asked: Asked, said: string): RequestAnswer | undefined => {
  const accepted = asked.options.find(({ allow }) => allow);
  const value = said === '' ? undefined : valueInText(asked.schema, said);
  return accepted === undefined || value === undefined ? undefined : { optionId: accepted.id, allow: true, value };
};

const valueInText = (schema: PermissionData['schema'], said: string): unknown => {
  const one = oneValue(schema);
  if (one === undefined) return jsonIn(said);
  const choice = one.choices[chosen(one.choices, said)];
  if (one.choices.length > 0 && choice === undefined) return undefined;
  const value = choice ?? plainValue(one.type, said);
  return one.property === '' ? value : { [one.property]: value };
};

/** Index of the name that is meant by its number or by itself; -1 for none. */
const chosen = (names: readonly string[], said: string): number => {
  const number = NUMBER.exec(said)?.[1];
  if (number !== undefined) return Number(number) - 1;
  return names.findIndex((name) => name.toLowerCase() === said.toLowerCase());
};

const plainValue = (type: string, said: string): unknown => {
  if (type === 'number' || type === 'integer') return Number(said);
  return type === 'boolean' ? /^(yes|true)$/i.test(said) : said;
};

const jsonIn = (said: string): unknown => {
  try {
    return parseJsonText(said, JSON_DEPTH);
  } catch {
    return undefined;
  }
};

interface OneValue {
  /** The only property of the object that is asked for; '' where the value itself is. */
  readonly property: string;
  readonly type: string;
  readonly choices: readonly string[];
}

const PLAIN: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean']);

/** The one plain value that a schema asks for; undefined where it asks for more. */
const oneValue = (schema: PermissionData['schema']): OneValue | undefined => {
  if (schema === undefined) return { property: '', type: 'string', choices: [] };
  const properties = isRecord(schema['properties']) ? Object.entries(schema['properties']) : [];
  const [property, inner] = schema['type'] === 'object' ? (properties[0] ?? ['', undefined]) : ['', schema];
  if (properties.length > 1 || !isRecord(inner)) return undefined;
  const listed = Array.isArray(inner['enum']) ? inner['enum'] : [];
  const choices = listed.every((value) => typeof value === 'string') ? (listed as string[]) : [];
  const type = textOrEmpty(inner['type']) || (choices.length > 0 ? 'string' : '');
  return PLAIN.has(type) ? { property, type, choices } : undefined;
};
