import type { Clock } from '../../../base/index.ts';
import type { ModelChunk, ModelRegistry, ModelRequest, ModelUsage } from '../../../models/contract.ts';
import {
  mediaPartType,
  noMeter,
  type ObjectAccess,
  PART,
  type Part,
  type SessionSide,
  type TracedOutcome,
  type TurnMeter,
  type TurnUsage,
} from '../../contract.ts';
import type { CallOutcome, ModelAnswer, PartWriter, RequestedCall } from '../answer/index.ts';
import type { StepTurn } from '../contract.ts';
import { targetKey } from './model-request.ts';
import type { SentCall } from './sent-call.ts';

const turnUsage = (usage: ModelUsage): TurnUsage => ({
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
  ...(usage.costMicros === undefined ? {} : { costMicros: usage.costMicros }),
});

/** Millionths in the unit of prices. */
const MICROS = 1_000_000;

/** USAGE part with the keys of TokenCounter; id and time are given by the writer. */
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
    ...(usage.costMicros === undefined ? {} : { cost_micros: usage.costMicros, cost: usage.costMicros / MICROS }),
  },
});

type CallEnd = Extract<CallOutcome, { kind: 'finished' | 'failed' }>;

const isContent = (chunk: ModelChunk): boolean =>
  chunk.type !== 'warning' && chunk.type !== 'finish' && chunk.type !== 'error';

/** Collects what one call brings: text into the writer at once, calls and files until the end. */
class CallReceiver {
  readonly #writer: PartWriter;
  readonly #hideReasoning: boolean;
  readonly calls: RequestedCall[] = [];
  readonly files: Extract<ModelChunk, { type: 'file' }>['media'][] = [];
  end: CallEnd | undefined;
  /** Monotonic time of the first chunk with content. */
  firstMs: number | undefined;
  readonly #clock: Clock;

  constructor(writer: PartWriter, hideReasoning: boolean, clock: Clock) {
    this.#writer = writer;
    this.#clock = clock;
    this.#hideReasoning = hideReasoning;
  }

  readonly receive = (chunk: ModelChunk): void => {
    if (this.firstMs === undefined && isContent(chunk)) this.firstMs = this.#clock.monotonicMs();
    switch (chunk.type) {
      case 'text':
        return this.#writer.text(PART.TEXT, chunk.text);
      case 'reasoning':
        return this.#hideReasoning ? undefined : this.#writer.text(PART.REASONING, chunk.text);
      case 'reasoning-end':
        return this.#hideReasoning ? undefined : this.#writer.endReasoning(chunk.continuation);
      case 'call':
        this.calls.push(chunk);
        return;
      case 'file':
        this.files.push(chunk.media);
        return;
      case 'finish':
        this.end = { kind: 'finished', finish: chunk.finish, usage: turnUsage(chunk.usage), calls: this.calls };
        return;
      case 'error': {
        const usage = chunk.usage === undefined ? undefined : turnUsage(chunk.usage);
        this.end = { kind: 'failed', error: chunk.error, usage };
        return;
      }
      default:
        return;
    }
  };
}

const SILENT_END: CallEnd = {
  kind: 'failed',
  usage: undefined,
  error: {
    errorClass: 'provider_stream',
    sentence: 'The model ended without an answer.',
    beforeFirstByte: false,
    beforeFirstToken: false,
  },
};

/** What a call that threw inside this process is traced as. */
const THREW: TracedOutcome = { kind: 'failed', error: { errorClass: 'internal' }, usage: undefined };

/** What a model call uses. */
export interface CallPorts {
  readonly models: Pick<ModelRegistry, 'stream'>;
  readonly objects: Pick<ObjectAccess, 'store'>;
  readonly clock: Clock;
  /** Absent: nothing is counted. */
  readonly meter?: TurnMeter;
}

interface CallIo {
  readonly turn: Pick<StepTurn, 'signal' | 'span' | 'claim'>;
  readonly writer: PartWriter;
  readonly hideReasoning: boolean;
  /** What is remembered of the call. */
  readonly call: SentCall;
}

/** Files follow the text, stored before they are shown, as long as the turn's claim tries. */
const placeFiles = async (
  namespace: string,
  { turn, writer, receiver }: Pick<CallIo, 'turn' | 'writer'> & { readonly receiver: CallReceiver },
  { objects }: Pick<CallPorts, 'objects'>,
): Promise<void> => {
  for (const media of receiver.files) {
    if (media.kind !== 'bytes' || turn.signal.aborted) continue;
    const { bytes } = media;
    const object = await turn.claim.patiently(() => objects.store(namespace, bytes, media));
    writer.media(object, mediaPartType(media.mediaType));
  }
};

/**
 * Runs one model call into the writer. Deltas go live as they come; files follow the text, stored as objects before they
 * are shown. Never rejects for a provider's failure: that is an outcome. The call is traced and measured.
 */
export const runModelCall = async (request: ModelRequest, io: CallIo, ports: CallPorts): Promise<CallOutcome> => {
  const { clock, meter = noMeter } = ports;
  const { target, purpose } = request;
  const { turn, writer } = io;
  const { signal } = turn;
  const span = turn.span.modelCall(request);
  const { traceHeaders } = span;
  const receiver = new CallReceiver(writer, io.hideReasoning, clock);
  const startedMs = clock.monotonicMs();
  let traced: TracedOutcome = THREW;
  try {
    const sent = {
      ...request,
      ...(traceHeaders === undefined ? {} : { traceHeaders }),
      onSent: io.call.onSent,
    };
    // Awaited here and not deeper: a frame less for as long as the answer streams.
    await ports.models.stream(sent, receiver.receive, signal);
    if (receiver.files.length > 0) await placeFiles(request.namespace, { turn, writer, receiver }, ports);
    const outcome: CallOutcome = signal.aborted ? { kind: 'aborted' } : (receiver.end ?? SILENT_END);
    traced = outcome;
    return outcome;
  } finally {
    span.end(traced, writer);
    const durationMs = clock.monotonicMs() - startedMs;
    const firstChunkMs = receiver.firstMs === undefined ? undefined : receiver.firstMs - startedMs;
    io.call.noteTimes(durationMs, firstChunkMs);
    meter.modelCalled({ target, purpose, durationMs, firstChunkMs, outcome: traced });
  }
};

/** Side state after a model call: context tokens and the correction of counted by reported input tokens. */
export const sideAfterCall = (side: SessionSide, { outcome, countedTokens, profile }: ModelAnswer): SessionSide => {
  const { usage } = outcome;
  const known = usage.usageAvailable && countedTokens > 0 && usage.inputTokens > 0;
  const correction = known
    ? { ...side.tokenCorrection, [targetKey(profile.target)]: Number((usage.inputTokens / countedTokens).toFixed(4)) }
    : side.tokenCorrection;
  return { ...side, contextTokens: usage, tokenCorrection: correction };
};
