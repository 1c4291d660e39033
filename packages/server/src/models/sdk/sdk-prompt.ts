import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import { wireCallIds } from '../call-ids.ts';
import type { ModelContent, ModelMedia, ModelMessage } from '../contract.ts';
import { isContinuationOf, type SdkPart } from './sdk-continuation.ts';
import type { SdkType } from './sdk-models.ts';

/** Anthropic caches the prompt up to a marked place; the others do it by themselves. */
const CACHE_HINT = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

const textPart = (text: string): LanguageModelV4TextPart => ({ type: 'text', text });

const filePart = (media: ModelMedia): LanguageModelV4FilePart => ({
  type: 'file',
  filename: media.filename,
  mediaType: media.mediaType,
  data: media.kind === 'bytes' ? { type: 'data', data: media.bytes } : { type: 'url', url: new URL(media.url) },
});

const textOf = (message: ModelMessage): string =>
  message.content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');

const userContent = (content: readonly ModelContent[]): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] =>
  content.flatMap((part): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] => {
    if (part.type === 'text') return part.text === '' ? [] : [textPart(part.text)];
    return part.type === 'media' ? [filePart(part.media)] : [];
  });

/** An assistant message rebuilt from what the provider gave to be sent back; calls dropped from history stay dropped. */
const continuedContent = (
  message: ModelMessage,
  parts: readonly SdkPart[],
  ids: ReadonlyMap<string, string>,
): SdkPart[] => {
  const calls = message.content.flatMap((part) => (part.type === 'call' ? [part] : []));
  const rebuilt: SdkPart[] = [];
  for (const part of parts) {
    if (part.type !== 'tool-call') {
      rebuilt.push(part);
      continue;
    }
    const at = calls.findIndex((call) => call.providerCallId === part.toolCallId && call.name === part.toolName);
    const [call] = at < 0 ? [] : calls.splice(at, 1);
    if (call !== undefined)
      rebuilt.push({ ...part, toolCallId: ids.get(call.callId) ?? call.callId, input: call.input });
  }
  for (const call of calls) rebuilt.push(callPart(call, ids));
  return rebuilt;
};

const callPart = (
  call: Extract<ModelContent, { readonly type: 'call' }>,
  ids: ReadonlyMap<string, string>,
): SdkPart => ({
  type: 'tool-call',
  toolCallId: ids.get(call.callId) ?? call.callId,
  toolName: call.name,
  input: call.input,
});

const assistantContent = (type: SdkType, message: ModelMessage, ids: ReadonlyMap<string, string>): SdkPart[] => {
  for (const part of message.content) {
    if (part.type === 'reasoning' && isContinuationOf(type, part.continuation)) {
      return continuedContent(message, part.continuation.parts, ids);
    }
  }
  return message.content.flatMap((part): SdkPart[] => {
    if (part.type === 'text') return part.text === '' ? [] : [textPart(part.text)];
    return part.type === 'call' ? [callPart(part, ids)] : [];
  });
};

const resultParts = (message: ModelMessage, ids: ReadonlyMap<string, string>): LanguageModelV4ToolResultPart[] =>
  message.content.flatMap((part) =>
    part.type === 'result'
      ? [
          {
            type: 'tool-result',
            toolCallId: ids.get(part.callId) ?? part.callId,
            toolName: part.name,
            output: { type: part.isError ? 'error-text' : 'text', value: part.text },
          },
        ]
      : [],
  );

/** Providers other than openai take system text only in front; later ones become delimited user text. */
const systemMessage = (type: SdkType, text: string, isLeading: boolean): LanguageModelV4Message =>
  isLeading || type === 'openai'
    ? { role: 'system', content: text }
    : { role: 'user', content: [textPart(`<system-message>\n${text}\n</system-message>`)] };

const convert = (
  type: SdkType,
  message: ModelMessage,
  context: { readonly ids: ReadonlyMap<string, string>; readonly isLeading: boolean },
): LanguageModelV4Message => {
  switch (message.role) {
    case 'system':
      return systemMessage(type, textOf(message), context.isLeading);
    case 'user':
      return { role: 'user', content: userContent(message.content) };
    case 'assistant':
      return { role: 'assistant', content: assistantContent(type, message, context.ids) };
    case 'tool':
      return { role: 'tool', content: resultParts(message, context.ids) };
  }
};

/** Messages in the words of the provider packages; empty ones are left out, cache marks are put where they help. */
export const sdkPrompt = (type: SdkType, messages: readonly ModelMessage[]): LanguageModelV4Prompt => {
  const ids = wireCallIds(messages);
  const firstOther = messages.findIndex((message) => message.role !== 'system');
  const prompt = messages
    .map((message, index) => convert(type, message, { ids, isLeading: firstOther < 0 || index < firstOther }))
    .filter((message) => message.content.length > 0);
  if (type !== 'anthropic') return prompt;
  const lastSystem = prompt.findLastIndex((message) => message.role === 'system');
  return prompt.map((message, index) =>
    index === lastSystem || index === prompt.length - 1 ? { ...message, providerOptions: CACHE_HINT } : message,
  );
};
