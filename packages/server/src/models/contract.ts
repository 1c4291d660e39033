/**
 * The one contract of model providers. A driver turns a request into a stream of chunks; once the first chunk
 * was asked for it never throws: failure is the last chunk. The runtime, not the driver, decides about fail-over and
 * stream restarts; tries before the first token, time-outs and concurrency are done here, around every driver.
 */

/** Media by value; `url` only for https links that the provider may fetch itself. */
export type ModelMedia =
  | { readonly kind: 'bytes'; readonly mediaType: string; readonly filename: string; readonly bytes: Uint8Array }
  | { readonly kind: 'url'; readonly mediaType: string; readonly filename: string; readonly url: string };

export type ModelContent =
  /** `isAdded` marks text of the platform (skills, post-history prompt, markers): no user wrote it. */
  | { readonly type: 'text'; readonly text: string; readonly isAdded?: true }
  | { readonly type: 'media'; readonly media: ModelMedia }
  /** Replayed only inside its own turn, with the provider's continuation data. */
  | { readonly type: 'reasoning'; readonly text: string; readonly continuation?: unknown }
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly providerCallId: string;
      readonly name: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly providerCallId: string;
      readonly name: string;
      readonly text: string;
      readonly isError: boolean;
    };

/** `call` and `reasoning` occur only in assistant messages, `result` only in tool messages. */
export interface ModelMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: readonly ModelContent[];
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the input, null members removed. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ThinkingOptions {
  readonly enabled?: boolean;
  readonly budgetTokens?: number;
  /** One of none, minimal, low, medium, high, xhigh, max, or absent. */
  readonly effort?: string;
}

export interface ModelTarget {
  readonly provider: string;
  readonly model: string;
}

export interface ModelRequest {
  readonly target: ModelTarget;
  readonly messages: readonly ModelMessage[];
  /** Sorted by name; empty means none are offered. */
  readonly tools: readonly ModelTool[];
  /** Absent is not sent, 0 is sent. */
  readonly temperature?: number;
  readonly thinking?: ThinkingOptions;
  readonly maxOutputTokens?: number;
  /** Most tokens that the answer may have, its reasoning included: what a quota of money has left. */
  readonly outputLimit?: number;
  /** Absent for the calls of a turn's steps; the demo provider answers a compaction with a fixed summary. */
  readonly purpose?: 'compaction';
  /** Namespace whose secrets may hold the provider's key. */
  readonly namespace: string;
  /** For provider_request_id of the demo provider and for trace headers. */
  readonly turnId: string;
  /** 1 for the first model call of the turn. */
  readonly callNumber: number;
  /** W3C trace headers to pass on. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
  /** Gets the body of the request as it leaves, once for each try; for a provider inside this process what `bodyOf` answers. */
  readonly onSent?: (body: string) => void;
}

/** Tokens and cost of one call; `estimated` when counted here because the provider said nothing. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly totalTokens: number;
  readonly usageAvailable: boolean;
  readonly estimated: boolean;
  readonly provider: string;
  readonly model: string;
  readonly providerRequestId?: string;
  /** Millionths of the unit of `models.prices`, rounded up; absent for a model without a price. */
  readonly costMicros?: number;
}

/** Prices of a model per million tokens, in a unit of the operator's choice. */
export interface ModelPrices {
  readonly input: number;
  readonly output: number;
  /** Input from the provider's cache; absent: as `input`. */
  readonly cachedInput?: number;
  /** Input that the provider keeps in its cache; absent: as `input`. */
  readonly cacheWrite?: number;
  /** Reasoning; absent: as `output`. */
  readonly reasoning?: number;
}

/** Classes of errors that a provider can cause; `reason` of an ERROR part. */
export type ModelErrorClass =
  | 'provider_auth'
  | 'provider_rate_limited'
  | 'provider_unavailable'
  | 'provider_timeout'
  | 'provider_stream'
  | 'provider_invalid_request'
  | 'content_filter'
  | 'context_overflow';

export interface ModelError {
  readonly errorClass: ModelErrorClass;
  /** One readable sentence without keys, headers, prompts or upstream bodies. */
  readonly sentence: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
  /** True when not one byte of an answer came (the reserved `llm.requests` is given back). */
  readonly beforeFirstByte: boolean;
  /** True when no chunk with content was emitted: another try or profile may still be used. */
  readonly beforeFirstToken: boolean;
  /** The caller's signal ended the call; class and sentence then say nothing about the provider. */
  readonly isStopped?: true;
}

export type ModelFinish = 'stop' | 'tool_calls' | 'length' | 'content_filter';

export type ModelChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /**
   * At most once per answer: after the reasoning, at the latest before the first call, also without any reasoning text
   * (signatures of calls). The data is opaque, stored, and sent back in the same turn only.
   */
  | { readonly type: 'reasoning-end'; readonly continuation?: unknown }
  /** A complete call; `inputText` is the raw JSON text the model wrote. Drivers collect argument deltas themselves. */
  | { readonly type: 'call'; readonly providerCallId: string; readonly name: string; readonly inputText: string }
  | { readonly type: 'file'; readonly media: ModelMedia }
  /** What the model could not take and was left out; shown as agent condition ModelOptions. */
  | { readonly type: 'warning'; readonly option: string; readonly text: string }
  | { readonly type: 'finish'; readonly finish: ModelFinish; readonly usage: ModelUsage }
  | { readonly type: 'error'; readonly error: ModelError; readonly usage?: ModelUsage };

/**
 * Receives chunks in order, synchronously as bytes arrive (the hot path has no promise per token).
 * After `finish` or `error` nothing follows.
 */
export type ChunkSink = (chunk: ModelChunk) => void;

export interface ModelFacts {
  readonly window: number;
  readonly maxOutput: number;
  readonly inputs: readonly ('text' | 'image' | 'audio' | 'video' | 'file')[];
  readonly tools: boolean;
  readonly temperature: boolean;
  readonly thinking: 'none' | 'effort' | 'budget' | 'adaptive';
  readonly efforts: readonly string[];
  /** Absent: what the model costs is not known. */
  readonly prices?: ModelPrices;
  /** False when the catalogue does not know the model and these are defaults. */
  readonly known: boolean;
}

/** Texts that a provider turns into vectors. */
export interface EmbedRequest {
  readonly provider: string;
  readonly model: string;
  readonly texts: readonly string[];
  /** Some models embed what is searched differently from what is asked. */
  readonly purpose: 'document' | 'query';
  readonly signal: AbortSignal;
}

/** A vector of unit length for each text, all of one length; or why there is none. */
export type EmbedOutcome =
  /** `usage`: tokens as the provider counted them, else as svc does. */
  | { readonly vectors: readonly Float32Array[]; readonly usage: ModelUsage }
  | {
      readonly failure: {
        readonly errorClass: ModelErrorClass;
        readonly sentence: string;
        readonly retryAfterMs?: number;
      };
    };

/** What runtime and features see of all providers together. */
export interface ModelRegistry {
  /** Streams with time-outs, tries before the first token, breaker and concurrency. Never rejects. */
  stream(request: ModelRequest, sink: ChunkSink, signal: AbortSignal): Promise<void>;
  /**
   * The body that `stream` would send for the request with the configuration of this process; nothing is sent. Throws Fault
   * FAILED_PRECONDITION for a provider that the configuration does not name, and for a request that the provider cannot express.
   */
  bodyOf(request: ModelRequest): Promise<string>;
  /** One request for vectors, not repeated here; keys that are secrets are those of the namespace `system`. Never rejects. */
  embed(request: EmbedRequest): Promise<EmbedOutcome>;
  /** Target of agents without profiles; also what an empty provider name means (`models.default`). */
  readonly defaultTarget: ModelTarget;
  /** False for a provider that the configuration does not name. */
  hasProvider(provider: string): boolean;
  /** Names of the providers that the configuration knows, `demo` among them. */
  readonly providerNames: readonly string[];
  facts(target: ModelTarget): ModelFacts;
  /** Whether the configuration says what `provider/model` costs. */
  isPriced(name: string): boolean;
  /** Tokens of a text with the model's encoding; unknown models: default encoding + 10 %. */
  countTokens(target: ModelTarget, text: string): number;
  /** Never below `countTokens` and free: nothing is loaded or encoded. A text that fits by it needs no exact count. */
  tokenBound(target: ModelTarget, text: string): number;
  /** Test control of `!hold NAME`: lets every waiting and later hold of NAME continue. */
  releaseHold(name: string): void;
  close(): Promise<void>;
}

/** Finds the value behind `secret://name/key` for a namespace; throws Fault SECRET_NOT_FOUND. */
export type SecretResolver = (namespace: string, reference: string) => Promise<string>;

/** One entry of `models.providers` after configuration parsing. */
export interface ProviderConfig {
  readonly type: string;
  readonly apiKey?: string | { readonly env: string };
  readonly baseUrl?: string;
  readonly api?: 'responses' | 'chat';
  readonly headers?: Readonly<Record<string, string>>;
  readonly thinkingStyle?: 'effort' | 'template' | 'none';
  readonly maxConcurrency?: number;
  /** demo only: chunks per second, 0 = no delay. */
  readonly rate?: number;
}

/** `models.*` of the configuration; durations in milliseconds. */
export interface ModelsConfig {
  readonly default?: string;
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly tries: number;
  readonly retryAfterMaxMs: number;
  readonly streamRestart: number;
  readonly breaker: { readonly failures: number; readonly withinMs: number; readonly openMs: number };
  readonly defaultWindow: number;
  readonly catalog: Readonly<Record<string, Partial<ModelFacts>>>;
  /** By `provider/model`; goes before the prices of `catalog`. */
  readonly prices: Readonly<Record<string, ModelPrices>>;
}
