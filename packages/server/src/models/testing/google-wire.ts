import { list, member, type ScriptedAnswer, type WireProtocol } from './scripted-answer.ts';

const event = (body: unknown): string => `data: ${JSON.stringify(body)}\n\n`;

const chunk = (parts: readonly unknown[], more: Readonly<Record<string, unknown>> = {}): string =>
  event({
    candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
    modelVersion: 'gemini-2.5-flash',
    responseId: 'google-1',
  });

const FINISHES = { stop: 'STOP', length: 'MAX_TOKENS', content_filter: 'SAFETY' } as const;

const callPart = (call: NonNullable<ScriptedAnswer['calls']>[number], index: number): unknown => ({
  functionCall: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name, args: call.input },
  ...(index === 0 ? { thoughtSignature: 'signed-1' } : {}),
});

const endEvent = (answer: ScriptedAnswer): string => {
  const { usage } = answer;
  const metadata =
    usage === undefined
      ? { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
      : {
          promptTokenCount: usage.input,
          cachedContentTokenCount: usage.cached,
          candidatesTokenCount: usage.output - usage.reasoning,
          thoughtsTokenCount: usage.reasoning,
          totalTokenCount: usage.input + usage.output,
        };
  return event({
    candidates: [
      { content: { role: 'model', parts: [{ text: '' }] }, finishReason: FINISHES[answer.finish ?? 'stop'], index: 0 },
    ],
    usageMetadata: metadata,
    modelVersion: 'gemini-2.5-flash',
    responseId: 'google-1',
  });
};

/** Gemini's streamGenerateContent with `alt=sse`. */
export const googleWire: WireProtocol = {
  name: 'google',
  provider: { type: 'google' },
  model: 'gemini-2.5-flash',
  basePath: '/v1beta',
  path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  keyHeader: ['x-goog-api-key', 'test-key'],
  events: (answer) => [
    ...(answer.reasoning ?? []).map((text) => chunk([{ text, thought: true }])),
    ...(answer.text ?? []).map((text) => chunk([{ text }])),
    ...(answer.calls ?? []).map((call, index) => chunk([callPart(call, index)])),
    endEvent(answer),
  ],
  errorEvent: () => event({ error: { code: 503, message: 'secret upstream text', status: 'UNAVAILABLE' } }),
  errorBody: (code) =>
    JSON.stringify({ error: { code: 400, message: 'secret upstream text', status: code.toUpperCase() } }),
  overflow: {
    status: 400,
    body: JSON.stringify({
      error: {
        code: 400,
        message: 'The input token count (2000000) exceeds the maximum number of tokens allowed (1048575).',
        status: 'INVALID_ARGUMENT',
      },
    }),
  },
  temperature: (body) => member(body, 'generationConfig', 'temperature'),
  toolNames: (body) =>
    list(body['tools']).flatMap((tool) =>
      list(member(tool, 'functionDeclarations')).map((declaration) => String(member(declaration, 'name'))),
    ),
};
