import { wireCallIds } from '../call-ids.ts';
import type { CatalogueEntry } from '../catalogue/index.ts';
import type { ModelContent, ModelMessage, ModelRequest, ProviderConfig } from '../contract.ts';
import { effortOrDefault, planThinking } from '../thinking-rules.ts';

/** An option of the request that the model cannot take and that was left out. */
interface LeftOut {
  readonly option: string;
  readonly text: string;
}

export interface ChatRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly LeftOut[];
}

type WarnFn = (option: string, text: string) => void;

/** Name of the field a server used for reasoning, sent back under the same name. */
export interface ChatContinuation {
  readonly field: string;
  readonly details?: readonly unknown[];
}

const isContinuation = (value: unknown): value is ChatContinuation =>
  typeof value === 'object' && value !== null && 'field' in value && typeof value.field === 'string';

const dataUrl = (mediaType: string, bytes: Uint8Array): string =>
  `data:${mediaType};base64,${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')}`;

const mediaPart = (content: Extract<ModelContent, { readonly type: 'media' }>): Record<string, unknown> => {
  const { media } = content;
  const url = media.kind === 'url' ? media.url : dataUrl(media.mediaType, media.bytes);
  if (media.mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  if (media.mediaType.startsWith('video/')) return { type: 'video_url', video_url: { url } };
  if (media.mediaType.startsWith('audio/') && media.kind === 'bytes') {
    const format = media.mediaType === 'audio/mpeg' ? 'mp3' : media.mediaType.slice('audio/'.length);
    return { type: 'input_audio', input_audio: { data: url.slice(url.indexOf(',') + 1), format } };
  }
  return { type: 'file', file: { filename: media.filename, file_data: url } };
};

const textOf = (content: readonly ModelContent[]): string =>
  content
    .filter((part) => part.type === 'text')
    .map((part) => part.text)
    .join('\n\n');

const userMessage = (message: ModelMessage): Record<string, unknown> => {
  if (!message.content.some((part) => part.type === 'media')) return { role: 'user', content: textOf(message.content) };
  const parts: Record<string, unknown>[] = [];
  for (const part of message.content) {
    if (part.type === 'text') parts.push({ type: 'text', text: part.text });
    else if (part.type === 'media') parts.push(mediaPart(part));
  }
  return { role: 'user', content: parts };
};

const assistantMessage = (message: ModelMessage, ids: ReadonlyMap<string, string>): Record<string, unknown> => {
  const text = textOf(message.content);
  const calls: Record<string, unknown>[] = [];
  const extra: Record<string, unknown> = {};
  for (const part of message.content) {
    if (part.type === 'call') {
      const id = ids.get(part.callId) ?? part.callId;
      calls.push({ id, type: 'function', function: { name: part.name, arguments: JSON.stringify(part.input) } });
    } else if (part.type === 'reasoning' && isContinuation(part.continuation)) {
      const { field, details } = part.continuation;
      if (part.text !== '') extra[field] = `${(extra[field] as string | undefined) ?? ''}${part.text}`;
      if (details !== undefined) extra['reasoning_details'] = details;
    }
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...extra,
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
};

const wireMessages = (messages: readonly ModelMessage[]): readonly Record<string, unknown>[] => {
  const ids = wireCallIds(messages);
  const wire: Record<string, unknown>[] = [];
  for (const message of messages) {
    if (message.role === 'system') wire.push({ role: 'system', content: textOf(message.content) });
    else if (message.role === 'user') wire.push(userMessage(message));
    else if (message.role === 'assistant') wire.push(assistantMessage(message, ids));
    else {
      for (const part of message.content) {
        if (part.type !== 'result') continue;
        wire.push({ role: 'tool', tool_call_id: ids.get(part.callId) ?? part.callId, content: part.text });
      }
    }
  }
  return wire;
};

const effortFields = (request: ModelRequest, facts: CatalogueEntry, warn: WarnFn): Record<string, unknown> => {
  const plan = planThinking(request.thinking, facts);
  if (plan.kind === 'unset') return {};
  if (facts.thinking === 'none') {
    if (plan.kind === 'on') warn('thinking', 'the model does not think');
    return {};
  }
  if (plan.kind === 'on') return { reasoning_effort: effortOrDefault(plan.effort, facts) };
  if (facts.known && facts.efforts.includes('none')) return { reasoning_effort: 'none' };
  if (request.thinking?.effort === 'none' && !facts.known) return { reasoning_effort: 'none' };
  warn('thinking.enabled', 'thinking cannot be switched off at this provider');
  return {};
};

const templateFields = (request: ModelRequest, facts: CatalogueEntry): Record<string, unknown> => {
  const plan = planThinking(request.thinking, facts);
  return plan.kind === 'unset' ? {} : { chat_template_kwargs: { enable_thinking: plan.kind === 'on' } };
};

const thinkingFields = (
  request: ModelRequest,
  facts: CatalogueEntry,
  options: { readonly style: ProviderConfig['thinkingStyle']; readonly warn: WarnFn },
): Record<string, unknown> => {
  if (options.style === 'template') return templateFields(request, facts);
  if (options.style !== 'none') return effortFields(request, facts, options.warn);
  if (request.thinking !== undefined) options.warn('thinking', 'the provider has no thinking option');
  return {};
};

/** Body of a chat-completions request with everything offered. */
export const buildChatRequest = (
  request: ModelRequest,
  facts: CatalogueEntry,
  style: ProviderConfig['thinkingStyle'],
): ChatRequest => {
  const leftOut: LeftOut[] = [];
  const warn: WarnFn = (option, text) => leftOut.push({ option, text });
  if (request.temperature !== undefined && !facts.temperature) warn('temperature', 'the model has a fixed temperature');
  if (request.tools.length > 0 && !facts.tools) warn('tools', 'the model takes no tools');
  const { outputLimit: limit = Number.POSITIVE_INFINITY } = request;
  const given = request.maxOutputTokens ?? (facts.known ? facts.maxOutput : request.outputLimit);
  const maxTokens = given === undefined ? undefined : Math.min(given, limit);
  const body = {
    model: request.target.model,
    stream: true,
    stream_options: { include_usage: true },
    messages: wireMessages(request.messages),
    ...(request.temperature !== undefined && facts.temperature ? { temperature: request.temperature } : {}),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...thinkingFields(request, facts, { style, warn }),
    ...(request.tools.length > 0 && facts.tools ? { tools: request.tools.map(wireTool) } : {}),
  };
  return { body, leftOut };
};

const wireTool = (tool: ModelRequest['tools'][number]): Record<string, unknown> => ({
  type: 'function',
  function: { name: tool.name, description: tool.description, parameters: tool.inputSchema },
});
