import type { TurnState } from '../store/contracts/index.ts';
import type { Goal } from '../tools/goal-contract.ts';
import type { PlacedPart } from './part-contract.ts';

/** What a turn and its session remember in addition to their rows, and what a running turn shows. */

/** Per fence under which the turn sent something. `firstPart` indexes the turn's recorded parts. */
export interface Span {
  readonly fence: number;
  readonly attempt: number;
  readonly firstPart: number;
  /** Began with RESET, which re-sends the recorded parts of its message. */
  readonly reset: boolean;
  /** Why the RESET happened: recovered or retry. */
  readonly reason?: string;
  /** The message a RESET discards. */
  readonly messageId: string;
}

export interface TurnCause {
  /** api, schedule, connector, channel, workflow, delegation, task. */
  readonly kind: string;
  readonly identity: string;
  readonly labels: Readonly<Record<string, string>>;
  /** First cause first; empty for a turn from outside. */
  readonly lineage: readonly { readonly namespace: string; readonly agent: string; readonly turnId: string }[];
  /** W3C trace context of the caller; spans of the turn are its children. */
  readonly traceParent?: string;
  /** The request that asked for the turn, for its log line. */
  readonly requestId?: string;
}

/** Fixed in the transaction of the first claim and reused by every attempt. */
interface TurnSnapshot {
  readonly agentUid: string;
  readonly agentGeneration: number;
  readonly profile: string;
  readonly nowMicros: number;
}

/** Token counts of a turn, the sum over its model calls. */
export interface TurnUsage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly totalTokens: number;
  readonly usageAvailable: boolean;
  readonly provider: string;
  readonly model: string;
  readonly providerRequestId?: string;
  /** Counted here because the provider said nothing. */
  readonly estimated?: boolean;
  /** In the currency of `models.prices`; absent when unpriced. */
  readonly cost?: number;
}

/** JSON of TurnRow.body. */
export interface TurnBody {
  readonly cause: TurnCause;
  readonly spans: readonly Span[];
  readonly snapshot?: TurnSnapshot;
  /** Assistant messages in order; the first is reserved at admission. */
  readonly replyMessageIds: readonly string[];
  /** Profile asked for by label, '' = by rule. */
  readonly profile: string;
  readonly startedAt: number;
  /** Unix time of the admission, as people see it; absent in turns of releases before, whose row has it. */
  readonly createdAt?: number;
  readonly usage?: TurnUsage;
  /** Readable text and class of a FAILED turn. */
  readonly error?: string;
  readonly reason?: string;
  /** Sequence of the terminal event, 0 while open. */
  readonly lastSequence: number;
  /** What a WAITING parked turn waits for. */
  readonly park?: { readonly kind: 'permission' | 'agent_wait'; readonly since: number; readonly until: number };
  /** Micros of active time used by earlier attempts and fences. */
  readonly activeMicros: number;
  /** Tool calls started so far, against runtime.maxToolCalls. */
  readonly toolCalls: number;
  /** Model calls journaled so far (steps); the next one is this + 1. */
  readonly modelCalls: number;
  /** Journal entries written; the next index. */
  readonly journalCount: number;
  /** How the next claim continues: with RESET as a new attempt, or where the last one stopped. */
  readonly resume: '' | 'recovered' | 'handover';
  /** Recorded parts already shown when the turn was parked or handed over. */
  readonly sentParts: number;
  /** Queued turns stopped meanwhile whose terminal event follows this turn's. */
  readonly pendingStops: readonly string[];
  /** User messages that began the turn; several when left-over steer entries became it. */
  readonly userMessageIds: readonly string[];
  /** Admitted with INTERRUPT: left-over steering does not overtake it. */
  readonly interrupting?: true;
}

/** JSON of SessionRow.body. */
export interface SessionSide {
  /** Usage of the newest model call: SessionResponse.context_tokens. */
  readonly contextTokens?: TurnUsage;
  /** Condition LastTurn: the newest ended turn. */
  readonly lastTurn?: {
    readonly turnId: string;
    readonly state: TurnState;
    readonly reason: string;
    readonly at: number;
  };
  /** Active skills in activation order. */
  readonly skills: readonly string[];
  /** Reported over counted input tokens by `provider/model`. */
  readonly tokenCorrection: Readonly<Record<string, number>>;
  /** Tools allowed or denied for the session by an option with `remember`. */
  readonly remembered: Readonly<Record<string, 'allow' | 'deny'>>;
  /** Goals of capability `goals`; written by `createSessionGoals` (runtime/prompt) only. */
  readonly goals?: readonly Goal[];
  readonly acpSessionId: string;
  readonly sandboxRef: string;
}

/** What a running turn has shown so far; kept in its worker's memory. */
export interface LiveTurn {
  readonly turnId: string;
  readonly sessionId: string;
  readonly attempt: number;
  readonly fence: number;
  readonly spans: readonly Span[];
  /** Recorded parts of the whole turn, then the parts of the current step so far (text whole, flushed). */
  readonly parts: readonly PlacedPart[];
  /** Sequence of the last event that was published. */
  readonly sequence: number;
  /** Assistant message being written. */
  readonly messageId: string;
}

export interface LiveTurns {
  /** The turn this process runs in the session; everything up to `sequence` has been published, nothing later. */
  live(sessionId: string): LiveTurn | undefined;
}

/** `runtime.*` of the configuration; times in milliseconds, sizes in bytes. */
export interface RuntimeConfig {
  readonly leaseMs: number;
  readonly sweepMs: number;
  readonly maxAttempts: number;
  readonly maxSteps: number;
  readonly maxToolCalls: number;
  readonly maxBatchCalls: number;
  readonly maxTurnTokens: number;
  readonly parallelTools: number;
  readonly turnTimeoutMs: number;
  readonly toolTimeoutMs: number;
  readonly concurrency: number;
  readonly sessionQueue: number;
  readonly messageBytes: number;
  readonly permissionTimeoutMs: number;
  readonly historySeconds: number;
  readonly streamRestart: number;
  readonly drainMs: number;
}
