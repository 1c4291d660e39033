import { sortedJson } from '../../base/index.ts';
import type { ModelContent, ModelMedia, ModelRequest } from '../contract.ts';
import type { DemoResult } from './demo-input.ts';

/** Words of the input that the demo reasoning repeats. */
const THOUGHT_WORDS = 8;

/** Characters of a tool result that the reply shows. */
const RESULT_CHARS = 200;

const base64Png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The 1x1 PNG that `!image` returns. */
export const demoImage = (): ModelMedia => ({
  kind: 'bytes',
  mediaType: 'image/png',
  filename: 'image.png',
  bytes: new Uint8Array(Buffer.from(base64Png, 'base64')),
});

export const demoFile = (filename: string, text: string): ModelMedia => ({
  kind: 'bytes',
  mediaType: 'text/plain',
  filename,
  bytes: new TextEncoder().encode(text),
});

/** One piece per word with its trailing blanks; leading blanks belong to the first. Never splits a pair. */
export const wordsOf = (text: string): readonly string[] =>
  text.match(/^\s*\S+\s*|\S+\s*/g) ?? (text === '' ? [] : [text]);

export const echoReply = (plain: string, media: readonly ModelMedia[]): string =>
  `You said: ${plain}${media.map((item) => ` [${item.mediaType} ${item.filename}]`).join('')}`;

export const thoughtOf = (plain: string): string =>
  `Thinking about: ${(plain.match(/\S+/g) ?? []).slice(0, THOUGHT_WORDS).join(' ')}`;

export const resultsReply = (results: readonly DemoResult[]): string =>
  results.map(({ name, text }) => `${name} -> ${text.slice(0, RESULT_CHARS).toWellFormed()}`).join('\n');

const shownContent = (part: ModelContent): Readonly<Record<string, unknown>> => {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text };
    case 'media':
      return { type: 'media', media_type: part.media.mediaType, filename: part.media.filename };
    case 'call':
      return { type: 'call', tool_call_id: part.callId, name: part.name, input: part.input };
    case 'result':
      return { type: 'result', tool_call_id: part.callId, name: part.name, output: part.text, is_error: part.isError };
  }
};

/** Reply of `!prompt`: what the model was sent. */
export const promptReply = (request: ModelRequest): string => {
  const { messages, temperature, thinking, maxOutputTokens } = request;
  const firstOther = messages.findIndex((message) => message.role !== 'system');
  const leading = firstOther < 0 ? messages : messages.slice(0, firstOther);
  const systemText = leading.flatMap(({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')));
  return sortedJson({
    system: systemText.join('\n\n'),
    messages: (firstOther < 0 ? [] : messages.slice(firstOther)).map(({ role, content }) => ({
      role,
      content: content.map(shownContent),
    })),
    options: {
      model: request.target.model,
      temperature,
      max_output_tokens: maxOutputTokens,
      thinking:
        thinking === undefined
          ? undefined
          : { enabled: thinking.enabled, budget_tokens: thinking.budgetTokens, effort: thinking.effort },
    },
  });
};

export const toolsReply = (request: ModelRequest): string => sortedJson(request.tools.map((tool) => tool.name).sort());

/** Reply to a compaction request: how many messages it was given to summarise. */
export const summaryReply = (request: ModelRequest): string => {
  const isConversation = request.messages.filter(
    ({ role, content }) => role !== 'system' && content.some((part) => part.type !== 'text' || part.isAdded !== true),
  );
  return `Summary of ${isConversation.length} messages.`;
};
