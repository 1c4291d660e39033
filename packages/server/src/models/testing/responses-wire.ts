import { list, member, type ScriptedAnswer, type WireProtocol } from './scripted-answer.ts';

const event = (body: Readonly<Record<string, unknown>> & { readonly type: string }): string =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;

const response = (more: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1_750_000_000,
  model: 'gpt-4o',
  output: [],
  service_tier: 'default',
  ...more,
});

const reasoningEvents = (answer: ScriptedAnswer): readonly string[] => {
  if (answer.reasoning === undefined) return [];
  const item = { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed-1' };
  const text = answer.reasoning.join('');
  const at = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
  return [
    event({ type: 'response.output_item.added', output_index: 0, item: { ...item, encrypted_content: 'sealed-0' } }),
    event({ type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } }),
    ...answer.reasoning.map((delta) => event({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
    event({ type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } }),
    event({
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...item, summary: [{ type: 'summary_text', text }] },
    }),
  ];
};

const textEvents = (answer: ScriptedAnswer): readonly string[] => {
  if (answer.text === undefined) return [];
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [] };
  const content = [{ type: 'output_text', text: answer.text.join(''), annotations: [] }];
  return [
    event({ type: 'response.output_item.added', output_index: 1, item }),
    ...answer.text.map((delta) =>
      event({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, content_index: 0, delta }),
    ),
    event({ type: 'response.output_item.done', output_index: 1, item: { ...item, content } }),
  ];
};

const callEvents = (answer: ScriptedAnswer): readonly string[] =>
  (answer.calls ?? []).flatMap((call, index) => {
    const item = {
      id: `fc_${index}`,
      type: 'function_call',
      call_id: call.id ?? '',
      name: call.name,
      status: 'completed',
    };
    const input = JSON.stringify(call.input);
    const at = { item_id: item.id, output_index: 2 + index };
    return [
      event({ type: 'response.output_item.added', output_index: 2 + index, item: { ...item, arguments: '' } }),
      event({ type: 'response.function_call_arguments.delta', ...at, delta: input }),
      event({ type: 'response.function_call_arguments.done', ...at, arguments: input }),
      event({ type: 'response.output_item.done', output_index: 2 + index, item: { ...item, arguments: input } }),
    ];
  });

const usageOf = (answer: ScriptedAnswer): unknown =>
  answer.usage === undefined
    ? { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    : {
        input_tokens: answer.usage.input,
        input_tokens_details: { cached_tokens: answer.usage.cached },
        output_tokens: answer.usage.output,
        output_tokens_details: { reasoning_tokens: answer.usage.reasoning },
        total_tokens: answer.usage.input + answer.usage.output,
      };

const endEvent = (answer: ScriptedAnswer): string => {
  const usage = usageOf(answer);
  if (answer.finish === undefined || answer.finish === 'stop') {
    return event({ type: 'response.completed', response: response({ status: 'completed', usage }) });
  }
  const reason = answer.finish === 'length' ? 'max_output_tokens' : 'content_filter';
  return event({
    type: 'response.incomplete',
    response: response({ status: 'incomplete', incomplete_details: { reason }, usage }),
  });
};

/** OpenAI's responses endpoint. */
export const responsesWire: WireProtocol = {
  name: 'openai responses',
  provider: { type: 'openai' },
  model: 'gpt-4o',
  basePath: '/v1',
  path: '/v1/responses',
  keyHeader: ['authorization', 'Bearer test-key'],
  events: (answer) => [
    event({ type: 'response.created', response: response({ status: 'in_progress' }) }),
    ...reasoningEvents(answer),
    ...textEvents(answer),
    ...callEvents(answer),
    endEvent(answer),
  ],
  errorEvent: () =>
    event({
      type: 'error',
      sequence_number: 1,
      error: { type: 'server_error', code: 'server_error', message: 'secret upstream text', param: null },
    }),
  errorBody: (code) => JSON.stringify({ error: { message: 'secret upstream text', type: code, code, param: null } }),
  overflow: {
    status: 400,
    body: JSON.stringify({
      error: { message: 'too long', type: 'invalid_request_error', code: 'context_length_exceeded', param: 'input' },
    }),
  },
  temperature: (body) => body['temperature'],
  toolNames: (body) => list(body['tools']).map((tool) => String(member(tool, 'name'))),
};
