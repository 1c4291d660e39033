import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from '@ai-sdk/provider';
import { isRecord } from '../../base/index.ts';
import { type Attempt, failed, type Outcome, type ReportedUsage } from '../attempt.ts';
import type { ModelFinish, ModelMedia } from '../contract.ts';
import { failureOf, failureOfErrorEvent } from '../failure-rules.ts';
import type { SdkPart } from './sdk-continuation.ts';
import type { SdkType } from './sdk-models.ts';

type FinishPart = Extract<LanguageModelV4StreamPart, { readonly type: 'finish' }>;
type FilePart = Extract<LanguageModelV4StreamPart, { readonly type: 'file' }>;

interface Block {
  readonly type: 'text' | 'reasoning';
  text: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

interface Call {
  readonly type: 'call';
  readonly id: string;
  readonly name: string;
  inputText: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

const FINISHES: Readonly<Record<FinishPart['finishReason']['unified'], ModelFinish | undefined>> = {
  stop: 'stop',
  other: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: undefined,
  interrupted: undefined,
};

const mergeMetadata = (
  known: SharedV4ProviderMetadata | undefined,
  more: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined => {
  if (more === undefined || known === undefined) return more ?? known;
  const merged: SharedV4ProviderMetadata = { ...known };
  for (const [provider, fields] of Object.entries(more)) merged[provider] = { ...known[provider], ...fields };
  return merged;
};

/** Undefined when the provider reported no totals. */
const readSdkUsage = (usage: LanguageModelV4Usage): ReportedUsage | undefined => {
  const { inputTokens, outputTokens, raw } = usage;
  if (inputTokens.total === undefined || outputTokens.total === undefined) return undefined;
  const total = raw?.['total_tokens'] ?? raw?.['totalTokenCount'];
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    ...(inputTokens.cacheRead === undefined ? {} : { cachedInputTokens: inputTokens.cacheRead }),
    ...(inputTokens.cacheWrite === undefined ? {} : { cacheWriteTokens: inputTokens.cacheWrite }),
    ...(outputTokens.reasoning === undefined ? {} : { reasoningTokens: outputTokens.reasoning }),
    ...(typeof total === 'number' ? { totalTokens: total } : {}),
  };
};

const fileMedia = (part: FilePart): ModelMedia => {
  const extension = (part.mediaType.split('/')[1] ?? 'bin').replace(/[^a-z0-9].*$/, '');
  const filename = `${part.mediaType.startsWith('image/') ? 'image' : 'file'}.${extension}`;
  if (part.data.type === 'url')
    return { kind: 'url', mediaType: part.mediaType, filename, url: part.data.url.toString() };
  const { data } = part.data;
  const bytes = typeof data === 'string' ? new Uint8Array(Buffer.from(data, 'base64')) : data;
  return { kind: 'bytes', mediaType: part.mediaType, filename, bytes };
};

/** Collects the stream parts of one answer of a provider package. */
export class SdkAnswer {
  readonly #attempt: Attempt;
  readonly #type: SdkType;
  /** Everything in the provider's order, for the continuation. */
  readonly #parts: (Block | Call)[] = [];
  readonly #blocks = new Map<string, Block>();
  readonly #calls = new Map<string, Call>();
  #requestId: string | undefined;
  outcome: Outcome | undefined;

  constructor(attempt: Attempt, type: SdkType) {
    this.#attempt = attempt;
    this.#type = type;
  }

  read(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'stream-start':
        for (const warning of part.warnings)
          if (warning.type === 'unsupported') this.#warn(warning.feature, warning.details);
        return;
      case 'response-metadata':
        this.#requestId ??= part.id;
        return;
      case 'text-start':
      case 'text-delta':
      case 'text-end':
        this.#readBlock('text', part);
        return;
      case 'reasoning-start':
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#readBlock('reasoning', part);
        return;
      case 'tool-input-start':
        this.#openCall(part.id, part.toolName);
        return;
      case 'tool-input-delta': {
        const call = this.#calls.get(part.id);
        if (call !== undefined) call.inputText += part.delta;
        return;
      }
      case 'tool-call': {
        const call = this.#openCall(part.toolCallId, part.toolName);
        call.inputText = part.input;
        call.metadata = mergeMetadata(call.metadata, part.providerMetadata);
        // A repeated id after this is another call.
        this.#calls.delete(part.toolCallId);
        return;
      }
      case 'file':
        this.#attempt.emit({ type: 'file', media: fileMedia(part) });
        return;
      case 'error':
        this.outcome = failed(failureOfErrorEvent(errorBody(part.error)));
        return;
      case 'finish':
        this.#finish(part);
        return;
      default:
        return;
    }
  }

  #warn(option: string, details: string | undefined): void {
    this.#attempt.emit({ type: 'warning', option, text: details ?? 'not supported by the model' });
  }

  #readBlock(
    type: 'text' | 'reasoning',
    part: { readonly id: string; readonly delta?: string; readonly providerMetadata?: SharedV4ProviderMetadata },
  ): void {
    const key = `${type} ${part.id}`;
    let block = this.#blocks.get(key);
    if (block === undefined) {
      block = { type, text: '', metadata: undefined };
      this.#blocks.set(key, block);
      this.#parts.push(block);
    }
    block.metadata = mergeMetadata(block.metadata, part.providerMetadata);
    if (part.delta === undefined || part.delta === '') return;
    block.text += part.delta;
    this.#attempt.emit({ type, text: part.delta });
  }

  #openCall(id: string, name: string): Call {
    const open = this.#calls.get(id);
    if (open !== undefined) return open;
    const call: Call = { type: 'call', id, name, inputText: '', metadata: undefined };
    this.#calls.set(id, call);
    this.#parts.push(call);
    return call;
  }

  #finish(part: FinishPart): void {
    const finish = FINISHES[part.finishReason.unified];
    if (this.outcome !== undefined) return;
    if (finish === undefined) {
      this.outcome = failed(failureOf('provider_stream'));
      return;
    }
    this.#emitContinuation();
    const calls = this.#parts.filter((one) => one.type === 'call');
    for (const call of calls) {
      const inputText = call.inputText.trim() === '' ? '{}' : call.inputText;
      this.#attempt.emit({ type: 'call', providerCallId: call.id, name: call.name, inputText });
    }
    this.outcome = {
      kind: 'finish',
      finish: calls.length > 0 && finish === 'stop' ? 'tool_calls' : finish,
      usage: readSdkUsage(part.usage),
      providerRequestId: this.#requestId,
    };
  }

  /** Once, at the end: the whole answer as it must go back, when any part carries provider data. */
  #emitContinuation(): void {
    const hasReasoning = this.#parts.some((part) => part.type === 'reasoning');
    if (!hasReasoning && !this.#parts.some((part) => part.metadata !== undefined && part.type === 'call')) return;
    const parts = this.#parts.map(sdkPart).filter((part) => part !== undefined);
    this.#attempt.emit({ type: 'reasoning-end', continuation: { sdk: this.#type, parts } });
  }
}

const sdkPart = (part: Block | Call): SdkPart | undefined => {
  const providerOptions = part.metadata === undefined ? {} : { providerOptions: part.metadata };
  if (part.type === 'call') {
    return { type: 'tool-call', toolCallId: part.id, toolName: part.name, input: {}, ...providerOptions };
  }
  if (part.type === 'text' && part.text === '') return undefined;
  return { type: part.type, text: part.text, ...providerOptions };
};

/** Error parts hold what the provider sent, or an Error whose data does. */
const errorBody = (error: unknown): unknown => {
  if (!isRecord(error)) return undefined;
  return error['data'] ?? (error instanceof Error ? { message: error.message } : error);
};
