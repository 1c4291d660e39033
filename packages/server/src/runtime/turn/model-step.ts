import type { ModelChunk, ModelError, ModelFinish, ModelRequest, ModelUsage } from '../../models/contract.ts';
import { PART, type Part, type TurnUsage } from '../contract.ts';
import type { RuntimeDeps } from '../runtime-deps.ts';
import type { PartWriter } from './part-writer.ts';

/** A tool call as the model wrote it; `inputText` may be no JSON at all (RT-R24, R42). */
export interface RequestedCall {
  readonly providerCallId: string;
  readonly name: string;
  readonly inputText: string;
}

/** What one model call brought. Text is already in the writer. */
export type StepOutcome =
  | {
      readonly kind: 'finished';
      readonly finish: ModelFinish;
      readonly usage: TurnUsage;
      readonly calls: readonly RequestedCall[];
    }
  | { readonly kind: 'failed'; readonly error: ModelError; readonly usage: TurnUsage | undefined }
  | { readonly kind: 'aborted' };

export const turnUsage = (usage: ModelUsage): TurnUsage => ({
  inputTokens: usage.inputTokens,
  cachedInputTokens: usage.cachedInputTokens,
  cacheWriteTokens: usage.cacheWriteTokens,
  outputTokens: usage.outputTokens,
  reasoningTokens: usage.reasoningTokens,
  totalTokens: usage.totalTokens,
  usageAvailable: usage.usageAvailable,
  provider: usage.provider,
  model: usage.model,
  ...(usage.providerRequestId === undefined ? {} : { providerRequestId: usage.providerRequestId }),
  ...(usage.estimated ? { estimated: true } : {}),
  ...(usage.cost === undefined ? {} : { cost: usage.cost }),
});

/** USAGE part with the keys of TokenCounter (WIRE-5, RT-4.4); id and time are given by the writer. */
export const usagePart = (usage: TurnUsage): Part => ({
  id: '',
  type: PART.USAGE,
  createdAt: 0,
  payload: {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    reasoning_output_tokens: usage.reasoningTokens,
    reasoning_tokens: usage.reasoningTokens,
    total_tokens: usage.totalTokens,
    cached_input_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    usage_available: usage.usageAvailable,
    estimated: usage.estimated ?? false,
    provider: usage.provider,
    model: usage.model,
    ...(usage.providerRequestId === undefined ? {} : { provider_request_id: usage.providerRequestId }),
    ...(usage.cost === undefined ? {} : { cost: usage.cost }),
  },
});

const MEDIA_TYPES: readonly (readonly [string, typeof PART.IMAGE | typeof PART.AUDIO | typeof PART.VIDEO])[] = [
  ['image/', PART.IMAGE],
  ['audio/', PART.AUDIO],
  ['video/', PART.VIDEO],
];

/** Part type of media by its media type; anything else is a FILE (WIRE-5). */
export const mediaPartType = (mediaType: string): Part['type'] =>
  MEDIA_TYPES.find(([prefix]) => mediaType.startsWith(prefix))?.[1] ?? PART.FILE;

/**
 * Runs one model call into the writer. Deltas go live as they come; files are stored as objects before they are shown
 * (RT-R37). Never rejects for a provider's failure: that is an outcome.
 */
export const runModelStep = async (
  request: ModelRequest,
  io: { readonly writer: PartWriter; readonly signal: AbortSignal; readonly hideReasoning: boolean },
  deps: Pick<RuntimeDeps, 'models' | 'objects'>,
): Promise<StepOutcome> => {
  const calls: RequestedCall[] = [];
  const files: Promise<void>[] = [];
  let outcome: StepOutcome | undefined;
  const receive = (chunk: ModelChunk): void => {
    if (chunk.type === 'text') io.writer.text(PART.TEXT, chunk.text);
    else if (chunk.type === 'reasoning') {
      if (!io.hideReasoning) io.writer.text(PART.REASONING, chunk.text);
    } else if (chunk.type === 'reasoning-end') {
      if (!io.hideReasoning) io.writer.endReasoning(chunk.continuation);
    } else if (chunk.type === 'call') calls.push(chunk);
    else if (chunk.type === 'file' && chunk.media.kind === 'bytes')
      files.push(storeFile(chunk.media, { namespace: request.namespace, writer: io.writer }, deps));
    else if (chunk.type === 'finish')
      outcome = { kind: 'finished', finish: chunk.finish, usage: turnUsage(chunk.usage), calls };
    else if (chunk.type === 'error')
      outcome = {
        kind: 'failed',
        error: chunk.error,
        usage: chunk.usage === undefined ? undefined : turnUsage(chunk.usage),
      };
  };
  await deps.models.stream(request, receive, io.signal);
  if (files.length > 0) await Promise.all(files);
  if (io.signal.aborted) return { kind: 'aborted' };
  return (
    outcome ?? {
      kind: 'failed',
      usage: undefined,
      error: {
        errorClass: 'provider_stream',
        sentence: 'The model ended without an answer.',
        beforeFirstByte: false,
        beforeFirstToken: false,
      },
    }
  );
};

const storeFile = async (
  media: { readonly mediaType: string; readonly filename: string; readonly bytes: Uint8Array },
  target: { readonly namespace: string; readonly writer: PartWriter },
  deps: Pick<RuntimeDeps, 'objects'>,
): Promise<void> => {
  const object = await deps.objects.store(target.namespace, media.bytes, media);
  target.writer.media(object, mediaPartType(media.mediaType));
};
