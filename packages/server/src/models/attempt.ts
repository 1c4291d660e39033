import type { CatalogueEntry } from './catalogue/index.ts';
import type { ModelChunk, ModelErrorClass, ModelFinish, ModelRequest } from './contract.ts';

/** Why one try failed, before the registry knows whether another one follows. */
export interface Failure {
  readonly errorClass: ModelErrorClass;
  /** One readable sentence without keys, headers, prompts or upstream bodies. */
  readonly sentence: string;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
}

/** What a provider said about usage, already in our meaning: input includes cached, output includes reasoning. */
export interface ReportedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly totalTokens?: number;
}

export type Outcome =
  | {
      readonly kind: 'finish';
      readonly finish: ModelFinish;
      /** Absent when the provider said nothing; the registry then counts itself. */
      readonly usage?: ReportedUsage | undefined;
      readonly providerRequestId?: string | undefined;
    }
  | { readonly kind: 'failure'; readonly failure: Failure };

/** Everything a driver may emit while it runs; the end is its Outcome. */
export type ContentChunk = Exclude<ModelChunk, { readonly type: 'finish' } | { readonly type: 'error' }>;

/** One try of one model call, as its driver sees it. Nothing here throws; after the cancel everything emitted is dropped. */
export interface Attempt {
  readonly request: ModelRequest;
  readonly facts: CatalogueEntry;
  /** Resolved key; absent only for providers that need none. */
  readonly apiKey: string | undefined;
  emit(chunk: ContentChunk): void;
  /** The body of the request, right before it leaves. */
  sent(body: string): void;
  /** A connection carries the request now: the connect time-out ends, the first-byte time-out starts. */
  connected(): void;
  /** Bytes arrived. `isAnswer` is true for the body of a successful answer (it uses up the reserved `llm.requests`). */
  received(isAnswer: boolean): void;
  /** Called once, at once, when the turn is stopped or a time-out passed; the driver then frees what it holds. */
  onCancel(cancel: () => void): void;
  /** Stops the idle and first-byte time-outs until the returned function is called; for a demo answer on hold. */
  suspendTimeouts(): () => void;
}

/** One provider speaking one wire protocol; one instance serves all its calls. */
export interface ProviderDriver {
  /** One request, never repeated here. Never rejects. */
  run(attempt: Attempt): Promise<Outcome>;
  /** The body that `run` would send; nothing is sent. */
  body(asked: Pick<Attempt, 'request' | 'facts'>): Promise<string>;
}

export const failed = (failure: Failure): Outcome => ({ kind: 'failure', failure });
