import type { ModelErrorClass, ModelRequest, ModelTarget } from '../../models/contract.ts';
import type { TurnState } from '../../store/contracts/index.ts';
import type { Part, TurnBody, TurnCause, TurnUsage } from '../record/contract.ts';

/**
 * What turns tell of themselves while they run; app binds it to OpenTelemetry and Prometheus. Nothing here throws
 * or waits, and arguments are objects that exist anyway: without an exporter a turn pays for calls of empty functions.
 */

/** One attempt of a turn: who runs what. */
export interface TracedTurn {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
}

/** How a model call ended; the outcome of a step as it is. */
export type TracedOutcome =
  | { readonly kind: 'finished'; readonly finish: string; readonly usage: TurnUsage }
  | {
      readonly kind: 'failed';
      readonly error: { readonly errorClass: string };
      readonly usage: TurnUsage | undefined;
    }
  | { readonly kind: 'aborted' };

/** Span `chat <model>`, or `compaction` for a request of that purpose. */
export interface ModelSpan {
  /** Headers for the provider; undefined: those of the turn's caller are passed on. */
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  /** `shown` is read only when contents may be captured. */
  end(outcome: TracedOutcome, shown: { parts(): readonly Part[] }): void;
}

/** Span `acp.prompt`: one prompt of a harness, which calls models by itself. */
export interface HarnessSpan extends Pick<ModelSpan, 'end'> {
  /** What it was sent; read only when contents may be captured. */
  prompted(text: string): void;
}

/** Span `execute_tool <tool>`. */
export interface ToolSpan {
  /** Headers for servers that the tool calls; undefined: those of the turn's caller are passed on. */
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  /** `result` is read only when contents may be captured. */
  end(outcome: {
    readonly end: 'finished' | 'failed' | 'timeout' | 'stopped' | 'waiting';
    readonly result?: unknown;
  }): void;
}

/** Span `invoke_agent <agent>`, parent of the others. */
export interface AttemptSpan {
  modelCall(request: ModelRequest): ModelSpan;
  harnessPrompt(target: ModelTarget): HarnessSpan;
  /** `input` is read only when contents may be captured. */
  toolCall(tool: string, callId: string, input: unknown): ToolSpan;
  /** The turn's end, before `end`; class of a FAILED one. Attempts that park or hand over have none. */
  turnEnded(state: TurnState, reason: string, usage: TurnUsage | undefined): void;
  end(left: string): void;
}

export interface TurnTracer {
  attempt(turn: TracedTurn, cause: TurnCause, attempt: number): AttemptSpan;
}

/** What turns count; names are bounded by configuration and agents, never by sessions, turns or identities. */
export interface TurnMeter {
  /** A worker begins: `queuedMs` for a turn that never ran, `recovered` for one whose worker was lost. */
  turnBegan(facts: { readonly queuedMs: number | undefined; readonly recovered: boolean }): void;
  claimLost(): void;
  modelCalled(call: {
    readonly target: ModelTarget;
    /** `invoke_agent`: the prompt of a harness; `embeddings`: a request for vectors. */
    readonly purpose: ModelRequest['purpose'] | 'invoke_agent' | 'embeddings';
    readonly durationMs: number;
    /** Until the first chunk; undefined when none came. */
    readonly firstChunkMs: number | undefined;
    readonly outcome: TracedOutcome;
  }): void;
  /** Another profile is tried in place of `target`. */
  failedOver(target: ModelTarget, errorClass: ModelErrorClass): void;
  toolRan(tool: string, end: string, durationMs: number): void;
}

const nothing = (): void => undefined;
const noModelSpan: ModelSpan = { traceHeaders: undefined, end: nothing };
const noHarnessSpan: HarnessSpan = { prompted: nothing, end: nothing };
const noToolSpan: ToolSpan = { traceHeaders: undefined, end: nothing };
const noAttemptSpan: AttemptSpan = {
  modelCall: () => noModelSpan,
  harnessPrompt: () => noHarnessSpan,
  toolCall: () => noToolSpan,
  turnEnded: nothing,
  end: nothing,
};

/** Traces nothing and allocates nothing; the tracer of a process without `telemetry.otlpEndpoint`. */
export const noTracer: TurnTracer = { attempt: () => noAttemptSpan };

/** Counts nothing; for engines under test. */
export const noMeter: TurnMeter = {
  turnBegan: nothing,
  claimLost: nothing,
  modelCalled: nothing,
  failedOver: nothing,
  toolRan: nothing,
};

/** Trace headers of the turn's caller, as they are passed on without a tracer. */
export const callerTrace = ({ traceParent }: TurnCause): Readonly<Record<string, string>> | undefined =>
  traceParent === undefined ? undefined : { traceparent: traceParent };

/** True when the newest span of a turn began with the loss of its worker. */
export const isRecovered = (body: Pick<TurnBody, 'spans'>): boolean => body.spans.at(-1)?.reason === 'recovered';
