import type { AgentSpec } from '@svc/api/resources';
import type { ModelMessage, ModelTarget, ModelTool } from '../models/contract.ts';
import type { MessageRow, ReadTx, SessionRow, TurnRow, TurnState, WriteTx } from '../store/contracts/index.ts';
import type { Goal } from '../tools/goal-contract.ts';

/**
 * What runtime exports to features (admission, session lifecycle, stop, live view) and what it needs of them (agents,
 * namespaces, usage, files), as interfaces that app satisfies (architecture 2). Everything that takes part in a
 * transaction gets the transaction's handle.
 */

/** Reference to stored bytes (svc.data.ObjectRef without presence questions). */
export interface ObjectData {
  readonly key: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly sha256: string;
  readonly filename: string;
}

/** Numeric svc.data.SessionMessagePartType values that stored parts use. */
export const PART = {
  TEXT: 1,
  REASONING: 2,
  TOOL_CALL: 3,
  TOOL_RESULT: 4,
  USAGE: 5,
  ERROR: 6,
  IMAGE: 7,
  AUDIO: 8,
  VIDEO: 9,
  FILE: 10,
  REQUEST_PERMISSION: 11,
  PERMISSION_RESULT: 12,
  COMPACTION: 13,
} as const;
export type PartType = (typeof PART)[keyof typeof PART];

/** One stored and streamed unit (RT-5). Stored as compact JSON; `continuation` never leaves the server (RT-R23). */
export interface Part {
  /** Six digits from 000000 per message; live parts carry the id they will have stored. */
  readonly id: string;
  readonly type: PartType;
  readonly content?: string;
  readonly name?: string;
  /** snake_case keys of WIRE-5. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly object?: ObjectData;
  /** Provider continuation data of REASONING, or the provider's own id of a TOOL_CALL. */
  readonly continuation?: unknown;
}

/** A part together with the assistant message it belongs to: the unit of the turn's part list. */
export interface PlacedPart {
  readonly messageId: string;
  readonly part: Part;
}

/** Per fence under which the turn sent something (RT-2.1). `firstPart` indexes the turn's recorded parts. */
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
  /** First cause first (RT-1); empty for a turn from outside. */
  readonly lineage: readonly { readonly namespace: string; readonly agent: string; readonly turnId: string }[];
  readonly traceParent?: string;
}

/** Fixed in the transaction of the first claim and reused by every attempt (RT-2.1). */
export interface TurnSnapshot {
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
  /** Counted here because the provider said nothing (RT-4.4). */
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
  /** How the next claim goes on: with RESET as a new attempt, or where the last one stopped. */
  readonly resume: '' | 'recovered' | 'handover';
  /** Recorded parts already shown when the turn was parked or handed over. */
  readonly sentParts: number;
  /** Queued turns stopped meanwhile whose terminal event follows this turn's (RT-2.6). */
  readonly pendingStops: readonly string[];
  /** User messages that began the turn; several when left-over steer entries became it. */
  readonly userMessageIds: readonly string[];
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
  /** Reported over counted input tokens by `provider/model` (RT-3). */
  readonly tokenCorrection: Readonly<Record<string, number>>;
  /** Tools allowed or denied for the session by an option with `remember`. */
  readonly remembered: Readonly<Record<string, 'allow' | 'deny'>>;
  /** Goals of capability `goals`; written by `createSessionGoals` (runtime/prompt) only. */
  readonly goals?: readonly Goal[];
  readonly acpSessionId: string;
  readonly sandboxRef: string;
}

/** Numeric svc.events.SessionMessagePartEventKind. */
export const EVENT = { DELTA: 1, DONE: 2, ERROR: 3, RESET: 4 } as const;
export type EventKind = (typeof EVENT)[keyof typeof EVENT];

/** One event of a session as the bus carries it (subject `ev.<sessionId>`). The same object reaches every follower. */
export interface SessionEvent {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly messageId: string;
  readonly kind: EventKind;
  /** DELTA: one part or a piece of TEXT/REASONING. ERROR: the ERROR part. Absent for DONE and RESET. */
  readonly part?: Part;
  readonly attempt: number;
  readonly fence: number;
  /** fence * 2^24 + units sent under the fence, this event included (RT-1). */
  readonly sequence: number;
  /** Units of this event: UTF-16 units of a text piece, else 1. */
  readonly units: number;
  readonly timestamp: number;
  readonly reason: string;
}

export const SEQUENCE_BASE = 2 ** 24;

/** Bus subjects. Messages: SessionEvent; SessionStateChange; {} hints. */
export const eventSubject = (sessionId: string): string => `ev.${sessionId}`;
export const WAKE_TURNS = 'wake.turns';
export const STOP_TURN = 'cmd.stop';
/** Message: {sessionId, namespace, agent, reason: 'cleared' | 'deleted'}; followers end or refuse old cursors. */
export const SESSION_CHANGED = 'session.changed';

/** What a running turn has shown so far; kept in its worker's memory (RT-2.6). */
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

export type WhenBusy = 'QUEUE' | 'STEER' | 'REJECT' | 'INTERRUPT';

/** One accepted piece of work from any source (RT-2.3). */
export interface Submission {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  /** Text first; ids are given by admission when ''. Objects and URLs are already stored and checked. */
  readonly parts: readonly Part[];
  readonly labels: Readonly<Record<string, string>>;
  readonly whenBusy: WhenBusy;
  readonly cause: TurnCause;
  /** Ids chosen by the caller for deterministic replays; otherwise allotted. */
  readonly turnId?: string;
}

export interface Admitted {
  readonly messageId: string;
  readonly turnId: string;
  readonly replyMessageId: string;
  /** True when the message joined the running turn. */
  readonly steered: boolean;
}

export interface Admission {
  /** Steps 2-7 of RT-2.3 inside the caller's transaction; throws Fault and changes nothing. Wakes workers after the commit. */
  admit(tx: WriteTx, submission: Submission): Promise<Admitted>;
}

export interface SessionLifecycle {
  /** Inserts the Session resource and row, reserves agent.sessions, sets last_session_id of the agent. */
  create(
    tx: WriteTx,
    request: {
      readonly namespace: string;
      readonly agent: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
      readonly sessionId?: string;
    },
  ): Promise<SessionRow>;
  remove(tx: WriteTx, session: SessionRow): Promise<void>;
  /** Throws SESSION_BUSY while busy unless `stop`. */
  clear(tx: WriteTx, session: SessionRow, stop: boolean): Promise<void>;
  fork(
    tx: WriteTx,
    session: SessionRow,
    options: {
      readonly throughMessageId: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
    },
  ): Promise<SessionRow>;
  append(
    tx: WriteTx,
    session: SessionRow,
    message: {
      readonly id: string;
      readonly role: number;
      readonly createdAt: number;
      readonly labels: Readonly<Record<string, string>>;
      readonly parts: readonly Part[];
    },
  ): Promise<MessageRow>;
  /** Empty turnId: the running or waiting turn and all queued ones. Answers the ids that this call stopped (RT-2.8). */
  stop(tx: WriteTx, session: SessionRow, turnId: string): Promise<readonly string[]>;
  /** Same answer again is fine; another, or a closed request, is PERMISSION_CLOSED (API-9.2). */
  answerPermission(
    tx: WriteTx,
    session: SessionRow,
    answer: {
      readonly requestId: string;
      readonly allow: boolean;
      readonly optionId: string;
      readonly comment: string;
      readonly decidedBy: string;
    },
  ): Promise<PermissionData>;
}

/** JSON of PermissionRow.body and of the REQUEST_PERMISSION payload, in camelCase. */
export interface PermissionData {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  readonly toolCallId: string;
  readonly action: string;
  readonly prompt: string;
  readonly input: unknown;
  readonly options: readonly {
    readonly id: string;
    readonly name: string;
    readonly allow: boolean;
    readonly remember: boolean;
  }[];
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly decision: 'PENDING' | 'ALLOW' | 'DENY';
  readonly optionId: string;
  readonly decidedBy: string;
  readonly decidedAt: number;
  readonly comment: string;
}

// ---- what runtime needs of features ------------------------------------------------------------------------------

/** One revision of an agent, as a turn runs it. `spec` is frozen. */
export interface AgentRevision {
  readonly uid: string;
  readonly generation: number;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: AgentSpec;
  readonly deleting: boolean;
  /** Non-empty: why turns are refused with AGENT_NOT_READY (RT-6.3, 8.5). */
  readonly notReady: string;
}

export interface AgentDirectory {
  /** Current revision; undefined when there is no such agent. Must be cheap: called at every admission and claim. */
  current(tx: Pick<ReadTx, 'resources'>, namespace: string, name: string): Promise<AgentRevision | undefined>;
  /** An older revision while open turns may refer to it. */
  revision(
    tx: Pick<ReadTx, 'resources' | 'instance'>,
    current: AgentRevision,
    uid: string,
    generation: number,
  ): Promise<AgentRevision | undefined>;
  /** Records AgentStatus.last_session_id as activity. */
  noteSession(tx: WriteTx, agentUid: string, sessionId: string): Promise<void>;
}

export interface NamespaceGate {
  /** Throws NAMESPACE_MISSING or NAMESPACE_DELETED (API-1.5); for writes. */
  requireLive(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<void>;
  /** Labels for the template variable `namespace.labels.*`. */
  labels(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<Readonly<Record<string, string>>>;
}

export type UsageMetric = 'llm.requests' | 'tool.calls' | 'agent.sessions';

export interface UsageSubject {
  readonly namespace: string;
  readonly agent: string;
  readonly identity: string;
  readonly provider?: string;
  readonly model?: string;
}

/** Quotas (RT-9). The policies come with a later part; every model call, tool call and session already goes through here. */
export interface UsageMeter {
  /** False when no policy can match: the reservation's transaction is then saved (RT-2.5). */
  governs(namespace: string): boolean;
  /** Throws Fault QUOTA_EXCEEDED {metric, policy, used, max, reset_at}; `key` makes a repeated reservation free. */
  reserve(tx: WriteTx, metric: UsageMetric, subject: UsageSubject, key: string): Promise<void>;
  giveBack(tx: WriteTx, metric: UsageMetric, subject: UsageSubject, key: string): Promise<void>;
  /** Charged in the transaction of the journal entry or the stop (RT-K22). */
  charge(tx: WriteTx, subject: UsageSubject, usage: TurnUsage): Promise<void>;
}

/** Object bytes as turns need them; `key` is opaque per namespace. */
export interface ObjectAccess {
  /** Stores bytes and the reference of `holder` (a message or session id) is added by `hold` in the naming transaction. */
  store(
    namespace: string,
    bytes: Uint8Array,
    facts: { readonly mediaType: string; readonly filename: string },
  ): Promise<ObjectData>;
  hold(tx: WriteTx, namespace: string, object: ObjectData, holder: string): Promise<void>;
  /** Undefined when the object is gone (RT-R26). */
  read(namespace: string, object: ObjectData): Promise<Uint8Array | undefined>;
}

// ---- prompt assembly: between the step loop and runtime/prompt, runtime/history ----------------------------------

/** A message of the model history in its final order (RT-R7); the current turn's messages stand last. */
export interface TranscriptMessage {
  readonly id: string;
  /** Numeric svc.data.MessageRole. */
  readonly role: number;
  readonly turnId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
}

export interface HistoryReader {
  /**
   * Messages of ended turns and appended ones in the order of RT-R7, newest part of the conversation only as far back as
   * `tokenLimit` needs or the last COMPACTION part covers. The current turn's own messages are not included.
   */
  before(
    tx: ReadTx,
    session: SessionRow,
    turn: TurnRow,
    tokenLimit: number,
    countTokens: (text: string) => number,
  ): Promise<readonly TranscriptMessage[]>;
}

export interface PromptSkills {
  readonly catalogue: readonly { readonly name: string; readonly description: string }[];
  readonly active: readonly { readonly name: string; readonly text: string | undefined }[];
}

export interface PromptRequest {
  readonly agent: AgentRevision;
  readonly namespaceLabels: Readonly<Record<string, string>>;
  readonly session: { readonly id: string; readonly labels: Readonly<Record<string, string>> };
  readonly sender: string;
  readonly channel: string;
  readonly target: ModelTarget;
  readonly nowMicros: number;
  /** History, the user message(s) of this turn, and its assistant messages as recorded so far. */
  readonly transcript: readonly TranscriptMessage[];
  readonly turnId: string;
  readonly tools: readonly ModelTool[];
  /** Ratio of reported to counted input tokens of the last call with this session and model; 1 at first (RT-3). */
  readonly tokenCorrection: number;
  /** Halved after an overflow answer (RT-3 row 4). */
  readonly windowFactor: number;
  /** True once compaction failed or was ignored in this turn. */
  readonly skipCompaction: boolean;
  /** Visible skills for the catalogue, active ones in activation order; text undefined = it vanished (RT-8.1). */
  readonly skills?: PromptSkills;
  /** Active goals of the session. */
  readonly goals?: readonly Pick<Goal, 'objective' | 'successCriteria' | 'progress'>[];
}

export type PromptPlan =
  /** `countedTokens` 0: certainly fits, so nothing was counted; leave the token correction as it is. */
  | {
      readonly kind: 'call';
      readonly messages: readonly ModelMessage[];
      readonly tools: readonly ModelTool[];
      readonly countedTokens: number;
    }
  /** Run this request without tools first; journal its text as COMPACTION through `throughMessageId`. */
  | {
      readonly kind: 'compact';
      readonly messages: readonly ModelMessage[];
      readonly throughMessageId: string;
      readonly sourceTokens: number;
      readonly maxOutputTokens: number;
    }
  | { readonly kind: 'overflow' };

export interface PromptAssembler {
  /** RT-3 whole: system, skills, transcript, post-history, budget. Reads objects by `readObject`. */
  plan(request: PromptRequest): Promise<PromptPlan>;
}

/** Syntax and variable check of prompts at write time: violations with line and column (RT-3). */
export type PromptCheck = (
  text: string,
) => readonly { readonly line: number; readonly column: number; readonly message: string }[];

/** `runtime.*` of the configuration; times in milliseconds, sizes in bytes (RT-2.10). */
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

export type OpenTurnState = Extract<TurnState, 'QUEUED' | 'RUNNING' | 'WAITING'>;
