import { textOrEmpty } from '../base/index.ts';
import { errorResult, type Tool, textResult } from './contract.ts';
import { schemaProblem } from './schema-check.ts';

const NAME = 'ask_user';
const KEY = 'answer';
const MAX_QUESTION = 4000;
const MAX_SCHEMA_BYTES = 16 * 1024;

type JsonSchema = Readonly<Record<string, unknown>>;

/** Any text, where the model says nothing about the form of the answer. */
const TEXT_SCHEMA: JsonSchema = { type: 'string', minLength: 1, maxLength: 20_000, title: 'Answer' };

/** ask_user(question, schema): asks a person and waits, for days if need be, at no cost. */
export const askUserTool: Tool = {
  name: NAME,
  description:
    'Asks a person a question and waits for the answer. schema, a JSON Schema, says which form the answer has; without it the answer is text.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', minLength: 1, maxLength: MAX_QUESTION, description: 'what the person is asked' },
      schema: { type: 'object', description: 'JSON Schema of the answer, best an object with a few plain properties' },
    },
    required: ['question'],
    additionalProperties: false,
  },
  effect: 'external',
  needsTurn: true,
  capability: { name: 'people', action: 'ask' },
  run: async ({ answers }, input) => {
    const schema = (input['schema'] ?? TEXT_SCHEMA) as JsonSchema;
    const problem = problemOf(schema);
    if (problem !== undefined) return errorResult(NAME, 'invalid_arguments', `schema ${problem}`);
    const answer = answers.find(({ key }) => key === KEY);
    if (answer === undefined)
      return { wait: 'person', question: { key: KEY, kind: 'input', prompt: textOrEmpty(input['question']), schema } };
    const { decision, value, comment } = answer;
    const said =
      decision === 'accepted'
        ? { answered: true, answer: value }
        : { answered: false, reason: comment === '' ? 'the person declined to answer' : comment };
    return textResult(JSON.stringify(said), said);
  },
};

const problemOf = (schema: JsonSchema): string | undefined =>
  JSON.stringify(schema).length > MAX_SCHEMA_BYTES ? `has more than ${MAX_SCHEMA_BYTES} bytes` : schemaProblem(schema);
