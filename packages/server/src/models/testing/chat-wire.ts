import { list, member, type ScriptedAnswer, type WireProtocol } from './scripted-answer.ts';

const event = (body: unknown): string => `data: ${JSON.stringify(body)}\n\n`;

const chunk = (delta: unknown, finish: string | null = null): string =>
  event({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_750_000_000,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const halves = (text: string): readonly string[] => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

const callEvents = (answer: ScriptedAnswer): readonly string[] =>
  (answer.calls ?? []).flatMap((call, index) => [
    chunk({
      tool_calls: [
        {
          index,
          ...(call.id === undefined ? {} : { id: call.id }),
          type: 'function',
          function: { name: call.name, arguments: '' },
        },
      ],
    }),
    ...halves(JSON.stringify(call.input)).map((text) =>
      chunk({ tool_calls: [{ index, function: { arguments: text } }] }),
    ),
  ]);

const usageEvent = (answer: ScriptedAnswer): readonly string[] =>
  answer.usage === undefined
    ? []
    : [
        event({
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 1_750_000_000,
          model: 'm',
          choices: [],
          usage: {
            prompt_tokens: answer.usage.input,
            completion_tokens: answer.usage.output,
            total_tokens: answer.usage.input + answer.usage.output,
            prompt_tokens_details: { cached_tokens: answer.usage.cached },
            completion_tokens_details: { reasoning_tokens: answer.usage.reasoning },
          },
        }),
      ];

const finishOf = (answer: ScriptedAnswer): string => {
  if (answer.finish !== undefined && answer.finish !== 'stop') return answer.finish;
  return (answer.calls ?? []).length > 0 ? 'tool_calls' : 'stop';
};

/** Chat completions as OpenAI and its many followers stream them. */
const chatEvents = (answer: ScriptedAnswer): readonly string[] => [
  chunk({ role: 'assistant', content: '' }),
  ...(answer.reasoning ?? []).map((text) => chunk({ reasoning_content: text })),
  ...(answer.text ?? []).map((text) => chunk({ content: text })),
  ...callEvents(answer),
  chunk({}, finishOf(answer)),
  ...usageEvent(answer),
  'data: [DONE]\n\n',
];

const shared = {
  basePath: '/v1',
  path: '/v1/chat/completions',
  keyHeader: ['authorization', 'Bearer test-key'],
  events: chatEvents,
  errorEvent: () =>
    event({ error: { message: 'secret upstream text', type: 'server_error', code: null, param: null } }),
  errorBody: (code: string) =>
    JSON.stringify({ error: { message: 'secret upstream text', type: code, code, param: null } }),
  overflow: {
    status: 400,
    body: JSON.stringify({
      error: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages' },
    }),
  },
  temperature: (body: Readonly<Record<string, unknown>>) => body['temperature'],
  toolNames: (body: Readonly<Record<string, unknown>>) =>
    list(body['tools']).map((tool) => String(member(tool, 'function', 'name'))),
} as const;

/** The own driver. */
export const compatibleWire: WireProtocol = {
  ...shared,
  name: 'openai-compatible',
  provider: { type: 'openai-compatible' },
  model: 'some-model',
};

/** The same protocol through the AI SDK package. */
export const openaiChatWire: WireProtocol = {
  ...shared,
  name: 'openai chat',
  provider: { type: 'openai', api: 'chat' },
  model: 'gpt-4o',
};
