import { list, member, type ScriptedAnswer, type WireProtocol } from './scripted-answer.ts';

const event = (body: Readonly<Record<string, unknown>> & { readonly type: string }): string =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;

interface WireBlock {
  readonly start: Readonly<Record<string, unknown>>;
  readonly deltas: readonly Readonly<Record<string, unknown>>[];
}

const blocksOf = (answer: ScriptedAnswer): readonly WireBlock[] => {
  const blocks: WireBlock[] = [];
  if (answer.reasoning !== undefined) {
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...answer.reasoning.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'signed-1' },
      ],
    });
  }
  if (answer.text !== undefined) {
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: answer.text.map((text) => ({ type: 'text_delta', text })),
    });
  }
  for (const call of answer.calls ?? []) {
    blocks.push({
      start: { type: 'tool_use', id: call.id ?? '', name: call.name, input: {} },
      deltas: [
        { type: 'input_json_delta', partial_json: '' },
        { type: 'input_json_delta', partial_json: JSON.stringify(call.input) },
      ],
    });
  }
  return blocks;
};

const stopReason = (answer: ScriptedAnswer): string => {
  if (answer.finish === 'length') return 'max_tokens';
  if (answer.finish === 'content_filter') return 'refusal';
  return (answer.calls ?? []).length > 0 ? 'tool_use' : 'end_turn';
};

const startUsage = (answer: ScriptedAnswer): Readonly<Record<string, unknown>> => {
  const { input, cached } = answer.usage ?? { input: 1, cached: 0 };
  return {
    input_tokens: input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  };
};

/** Anthropic messages with thinking blocks and pings. */
export const anthropicWire: WireProtocol = {
  name: 'anthropic',
  provider: { type: 'anthropic' },
  model: 'claude-sonnet-4-5',
  basePath: '/v1',
  path: '/v1/messages',
  keyHeader: ['x-api-key', 'test-key'],
  events: (answer) => [
    event({
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: startUsage(answer),
      },
    }),
    event({ type: 'ping' }),
    ...blocksOf(answer).flatMap(({ start, deltas }, index) => [
      event({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]),
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReason(answer), stop_sequence: null },
      usage: {
        output_tokens: answer.usage?.output ?? 1,
        ...(answer.usage === undefined ? {} : { output_tokens_details: { thinking_tokens: answer.usage.reasoning } }),
      },
    }),
    event({ type: 'message_stop' }),
  ],
  errorEvent: () => event({ type: 'error', error: { type: 'overloaded_error', message: 'secret upstream text' } }),
  errorBody: (code) => JSON.stringify({ type: 'error', error: { type: code, message: 'secret upstream text' } }),
  overflow: {
    status: 400,
    body: JSON.stringify({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
    }),
  },
  temperature: (body) => body['temperature'],
  toolNames: (body) => list(body['tools']).map((tool) => String(member(tool, 'name'))),
};
