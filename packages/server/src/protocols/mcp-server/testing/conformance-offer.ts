import type { McpOffer } from '../contract.ts';
import { TaskBox } from './task-box.ts';

/** What the scenarios of the conformance suites ask for, as far as text can be it. */
const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' }, contactMethod: { type: 'string' } },
  allOf: [{ anyOf: [{ required: ['name'] }, { required: ['address'] }, {}] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['name'] },
  else: {},
  additionalProperties: false,
};
const TOOLS = ['test_simple_text', 'test_error_handling', 'test_tool_with_progress', 'json_schema_2020_12_tool'];
const ANY = { type: 'object' };

const tasks = new TaskBox();

/** An example server for the scenarios, with results, documents and prompts of text. */
export const conformanceOffer: McpOffer = {
  tools: async () => [
    ...TOOLS.map((name) => ({
      name,
      description: `The tool ${name}.`,
      inputSchema: name.startsWith('json') ? SCHEMA : ANY,
      isReadOnly: true,
    })),
    ...tasks.tools,
  ],
  call: async (call) => {
    const { name, progress } = call;
    if (tasks.has(name)) return tasks.call(call);
    if (!TOOLS.includes(name)) return undefined;
    if (name === 'test_tool_with_progress') for (const text of ['a', 'b', 'c']) progress?.(text);
    return { text: 'This is a simple text response for testing.', isError: name === 'test_error_handling' };
  },
  task: async (id) => tasks.task(id),
  tasks: async () => ({ tasks: [], nextCursor: '' }),
  taskEnded: async () => undefined,
  cancelTask: async (id) => tasks.cancel(id),
  answerTask: async (id, replies) => tasks.answer(id, replies),
  documents: async () => [{ uri: 'test://static-text', name: 'text', mediaType: 'text/plain' }],
  read: async (uri) =>
    uri === 'test://static-text' ? { mediaType: 'text/plain', text: 'This is the content.' } : undefined,
  prompts: async () => [{ name: 'test_simple_prompt', description: 'A prompt.' }],
  prompt: async (name) => (name === 'test_simple_prompt' ? 'This is a simple prompt for testing.' : undefined),
};
