import type { ModelContent, ModelMessage, ModelRequest } from '../../../models/contract.ts';
import { PART, type Part } from '../../../runtime/contract.ts';

/** Contents of spans in the JSON forms of the GenAI conventions; only with `telemetry.captureContent`. */

/** Longest content of one attribute, in UTF-16 units. */
export const CONTENT_LIMIT = 65_536;

const contentOf = (content: ModelContent): object => {
  switch (content.type) {
    case 'text':
      return { type: 'text', content: content.text };
    case 'reasoning':
      return { type: 'reasoning', content: content.text };
    case 'call':
      return { type: 'tool_call', id: content.callId, name: content.name, arguments: content.input };
    case 'result':
      return { type: 'tool_call_response', id: content.callId, response: content.text };
    case 'media':
      return { type: 'media', mime_type: content.media.mediaType };
  }
};

const messageOf = ({ role, content }: ModelMessage): object => ({ role, parts: content.map(contentOf) });

/** What a model was asked, as JSON. */
export const inputMessages = (request: ModelRequest): string => JSON.stringify(request.messages.map(messageOf));

/** The prompt of a harness, as JSON. */
export const promptMessage = (text: string): string =>
  JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]);

/** Text, reasoning and media of an answer; its calls are in the spans of the tools. */
export const outputMessages = (parts: readonly Part[], finish: string): string => {
  const shown = parts.map((part) => {
    if (part.type === PART.TEXT) return { type: 'text', content: part.content ?? '' };
    if (part.type === PART.REASONING) return { type: 'reasoning', content: part.content ?? '' };
    return { type: 'media', mime_type: part.object?.mediaType ?? '' };
  });
  return JSON.stringify([{ role: 'assistant', parts: shown, finish_reason: finish }]);
};
