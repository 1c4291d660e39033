import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { ModelRequest, ModelTarget } from '../../../models/contract.ts';
import type {
  AttemptSpan,
  HarnessSpan,
  ModelSpan,
  ToolSpan,
  TracedOutcome,
  TracedTurn,
  TurnCause,
  TurnTracer,
  TurnUsage,
} from '../../../runtime/contract.ts';
import type { TurnState } from '../../../store/contracts/index.ts';
import type { ProcessTracing, TracingOptions } from './index.ts';
import { CONTENT_LIMIT, inputMessages, outputMessages, promptMessage } from './span-contents.ts';
import { parseTraceParent, traceIdOfTurn } from './trace-context.ts';
import { WatchedExporter } from './watched-exporter.ts';

/** Spans wait this long, and this many, for their export; more are dropped. */
const EXPORT_MS = 1_000;
const MAX_WAITING_SPANS = 8_192;
const EXPORT_TIMEOUT_MS = 5_000;

/** Random ids, except for the trace that a turn without a caller's trace begins. */
class TurnTraceIds extends RandomIdGenerator {
  nextTraceId: string | undefined;

  override generateTraceId(): string {
    const given = this.nextTraceId;
    this.nextTraceId = undefined;
    return given ?? super.generateTraceId();
  }
}

const usageAttributes = (usage: TurnUsage): Attributes => ({
  'gen_ai.usage.input_tokens': usage.inputTokens,
  'gen_ai.usage.output_tokens': usage.outputTokens,
  'gen_ai.usage.cache_read.input_tokens': usage.cachedInputTokens,
  'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
});

const fail = (span: Span, errorClass: string): void => {
  span.setAttribute('error.type', errorClass);
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** `attribute: text` cut to what an attribute may hold. */
const content = (span: Span, name: string, text: string): void => {
  span.setAttribute(name, text.slice(0, CONTENT_LIMIT));
};

const headersOf = (span: Span): Readonly<Record<string, string>> => {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
};

class OtlpModelSpan implements ModelSpan {
  readonly traceHeaders: Readonly<Record<string, string>>;
  readonly #span: Span;
  readonly #isCapturing: boolean;

  constructor(span: Span, isCapturing: boolean) {
    this.#span = span;
    this.#isCapturing = isCapturing;
    this.traceHeaders = headersOf(span);
  }

  end(outcome: TracedOutcome, shown: Parameters<ModelSpan['end']>[1]): void {
    const span = this.#span;
    if (outcome.kind !== 'aborted' && outcome.usage !== undefined) {
      span.setAttributes(usageAttributes(outcome.usage));
      span.setAttribute('gen_ai.response.model', outcome.usage.model);
      const { providerRequestId } = outcome.usage;
      if (providerRequestId !== undefined) span.setAttribute('gen_ai.response.id', providerRequestId);
    }
    if (outcome.kind === 'finished') span.setAttribute('gen_ai.response.finish_reasons', [outcome.finish]);
    if (outcome.kind === 'failed') fail(span, outcome.error.errorClass);
    if (outcome.kind === 'aborted') span.setAttribute('svc.outcome', 'aborted');
    if (this.#isCapturing) {
      const finish = outcome.kind === 'finished' ? outcome.finish : outcome.kind;
      content(span, 'gen_ai.output.messages', outputMessages(shown.parts(), finish));
    }
    span.end();
  }
}

class OtlpAttempt implements AttemptSpan {
  readonly #tracer: Tracer;
  readonly #span: Span;
  readonly #context: Context;
  readonly #isCapturing: boolean;
  readonly #names: Attributes;

  constructor(tracer: Tracer, span: Span, facts: { readonly names: Attributes; readonly isCapturing: boolean }) {
    this.#tracer = tracer;
    this.#span = span;
    this.#context = trace.setSpan(ROOT_CONTEXT, span);
    this.#names = facts.names;
    this.#isCapturing = facts.isCapturing;
  }

  modelCall(request: ModelRequest): ModelSpan {
    const { provider, model } = request.target;
    const attributes = {
      ...this.#names,
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
    };
    const name = request.purpose === 'compaction' ? 'compaction' : `chat ${model}`;
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, this.#context);
    if (this.#isCapturing) content(span, 'gen_ai.input.messages', inputMessages(request));
    return new OtlpModelSpan(span, this.#isCapturing);
  }

  harnessPrompt({ provider, model }: ModelTarget): HarnessSpan {
    const attributes = {
      ...this.#names,
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': provider,
      'gen_ai.request.model': model,
    };
    const span = this.#tracer.startSpan('acp.prompt', { kind: SpanKind.CLIENT, attributes }, this.#context);
    const ended = new OtlpModelSpan(span, this.#isCapturing);
    return {
      prompted: (text) => {
        if (this.#isCapturing) content(span, 'gen_ai.input.messages', promptMessage(text));
      },
      end: (outcome, shown) => ended.end(outcome, shown),
    };
  }

  toolCall(tool: string, callId: string, input: unknown): ToolSpan {
    const attributes = {
      ...this.#names,
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': tool,
      'gen_ai.tool.call.id': callId,
    };
    const span = this.#tracer.startSpan(`execute_tool ${tool}`, { attributes }, this.#context);
    const isCapturing = this.#isCapturing;
    if (isCapturing) content(span, 'gen_ai.tool.call.arguments', JSON.stringify(input) ?? '');
    return {
      traceHeaders: headersOf(span),
      end: (outcome) => {
        if (outcome.end === 'stopped') span.setAttribute('svc.outcome', 'stopped');
        else if (outcome.end !== 'finished') fail(span, outcome.end);
        if (isCapturing) content(span, 'gen_ai.tool.call.result', JSON.stringify(outcome.result) ?? '');
        span.end();
      },
    };
  }

  turnEnded(state: TurnState, reason: string, usage: TurnUsage | undefined): void {
    this.#span.setAttribute('svc.turn.state', state);
    if (state === 'FAILED') fail(this.#span, reason);
    if (usage !== undefined) this.#span.setAttributes(usageAttributes(usage));
  }

  end(left: string): void {
    this.#span.setAttribute('svc.outcome', left);
    this.#span.end();
  }
}

const parentOf = (cause: TurnCause): Context => {
  const given = cause.traceParent === undefined ? undefined : parseTraceParent(cause.traceParent);
  if (given === undefined) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled } = given;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: isSampled ? 1 : 0, isRemote: true });
};

class OtlpTracer implements TurnTracer {
  readonly #tracer: Tracer;
  readonly #ids: TurnTraceIds;
  readonly #isCapturing: boolean;

  constructor(tracer: Tracer, ids: TurnTraceIds, isCapturing: boolean) {
    this.#tracer = tracer;
    this.#ids = ids;
    this.#isCapturing = isCapturing;
  }

  attempt(turn: TracedTurn, cause: TurnCause, attempt: number): AttemptSpan {
    const names = {
      'gen_ai.agent.name': turn.agent,
      'gen_ai.conversation.id': turn.sessionId,
      'svc.namespace': turn.namespace,
      'svc.turn': turn.id,
      'svc.attempt': attempt,
    };
    const parent = parentOf(cause);
    this.#ids.nextTraceId = parent === ROOT_CONTEXT ? traceIdOfTurn(turn.id) : undefined;
    const attributes = { ...names, 'gen_ai.operation.name': 'invoke_agent' };
    const span = this.#tracer.startSpan(`invoke_agent ${turn.agent}`, { attributes }, parent);
    return new OtlpAttempt(this.#tracer, span, { names, isCapturing: this.#isCapturing });
  }
}

const tracesUrl = (endpoint: string): string => {
  const base = endpoint.replace(/\/+$/, '');
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`;
};

/** Spans of turns to an OTLP endpoint over HTTP, in batches; a slow or absent endpoint loses spans, never turns. */
export const createOtlpTracing = (options: TracingOptions): ProcessTracing => {
  const { endpoint, captureContent, version, instance, log, clock } = options;
  const ids = new TurnTraceIds();
  const exporter = new OTLPTraceExporter({ url: tracesUrl(endpoint), timeoutMillis: EXPORT_TIMEOUT_MS });
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    idGenerator: ids,
    resource: resourceFromAttributes({
      'service.name': 'svc',
      'service.version': version,
      'service.instance.id': instance,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new WatchedExporter(exporter, { log, clock }),
        scheduledDelayMillis: EXPORT_MS,
        maxQueueSize: MAX_WAITING_SPANS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = new OtlpTracer(provider.getTracer('svc', version), ids, captureContent);
  const close = async (): Promise<void> => {
    try {
      await provider.shutdown();
    } catch (error) {
      log.warn('the last spans were not delivered', { reason: error instanceof Error ? error.message : 'unknown' });
    }
  };
  return { tracer, close };
};
