import type { TurnState } from '../../store/contracts/index.ts';
import type { ToolPause } from '../../tools/contract.ts';
import type { Goal } from '../../tools/goal-contract.ts';
import type { StepRecord } from './step-record.ts';

export type * from './step-record.ts';

/** What sessions store and show: parts and events, the bodies of turns, sessions and permission requests, bus subjects. */

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

const MEDIA_PARTS: readonly (readonly [string, PartType])[] = [
  ['image/', PART.IMAGE],
  ['audio/', PART.AUDIO],
  ['video/', PART.VIDEO],
];

/** Type of the part that holds bytes of a media type. */
export const mediaPartType = (mediaType: string): PartType =>
  MEDIA_PARTS.find(([prefix]) => mediaType.startsWith(prefix))?.[1] ?? PART.FILE;

/** One stored and streamed unit. Stored as compact JSON; `continuation` never leaves the server. */
export interface Part {
  /** Six digits from 000000 per message; live parts carry the id they will have stored. */
  readonly id: string;
  readonly type: PartType;
  readonly content?: string;
  readonly name?: string;
  /** Keys in snake_case, as clients read them in payload_json. */
  readonly payload?: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly object?: ObjectData;
  /** Provider continuation data of REASONING, or the provider's own id of a TOOL_CALL. */
  readonly continuation?: unknown;
}

/** A message that compactions keep word for word. */
export interface KeptMessage {
  readonly messageId: string;
  /** System messages are rules of the conversation; others are pinned by their label. */
  readonly isSystem: boolean;
  readonly text: string;
}

/** What a COMPACTION part carries besides its summary; each compaction takes over what the one before it kept. */
export interface CompactionKeeps {
  readonly kept: readonly KeptMessage[];
  /** Files and stored outputs of the messages that were summarised, as one line each. */
  readonly references: readonly string[];
}

/** A part together with the assistant message it belongs to: the unit of the turn's part list. */
export interface PlacedPart {
  readonly messageId: string;
  readonly part: Part;
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
  /** fence * 2^24 + units sent under the fence, this event included. */
  readonly sequence: number;
  /** Units of this event: UTF-16 units of a text piece, else 1. */
  readonly units: number;
  readonly timestamp: number;
  readonly reason: string;
}

/** Sequences that one fence has room for. */
export const SEQUENCE_BASE = 2 ** 24;

/** Bus subject of the events of a session; a message is a SessionEvent. */
export const eventSubject = (sessionId: string): string => `ev.${sessionId}`;

/** Message: {}; some turn became ready. */
export const WAKE_TURNS = 'wake.turns';

/** Message: {turnId, sessionId}; the worker that runs the turn checks its stop flag. */
export const STOP_TURN = 'cmd.stop';

/** Message: {sessionId, namespace, agent, reason: 'cleared' | 'deleted'}; followers end or refuse old cursors. */
export const SESSION_CHANGED = 'session.changed';

/** Bus subject: a running turn has steer entries to absorb. Message: {turnId}. */
export const STEER_ADDED = 'cmd.steer';

/** Bus subject: a running turn learns at once that one of its requests was answered. Message: {turnId}. */
export const PERMISSION_ANSWERED = 'cmd.permission';

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
  /** api, a2a, schedule, connector, channel, workflow, delegation, task. */
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
  /** Millionths of the unit of `models.prices`; absent for models without a price. */
  readonly costMicros?: number;
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
  /** What a WAITING parked turn waits for: a person's answer, or an event that a call waits for. */
  readonly park?: { readonly kind: 'permission' | 'agent_wait'; readonly since: number; readonly until: number };
  /** Events that open calls wait for, by call id; absent in turns that never waited for one. */
  readonly pauses?: Readonly<Record<string, ToolPause>>;
  /** Micros of active time used by earlier attempts and fences. */
  readonly activeMicros: number;
  /** Tool calls started so far, against runtime.maxToolCalls. */
  readonly toolCalls: number;
  /** Model calls journaled so far (steps); the next one is this + 1. */
  readonly modelCalls: number;
  /** Prompts that began in a harness, which asks its model by itself; absent in turns of models. */
  readonly harnessPrompts?: number;
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
  /** The model call that the turn ended with or in; those before it are in the journal. */
  readonly lastCall?: StepRecord;
  /** For each call that wrote a summary, the number of the model call behind it; absent when there was none. */
  readonly summaries?: readonly number[];
  /** Prompts whose harness was lost, before the one in `lastCall`; absent when there was none. */
  readonly lostPrompts?: readonly StepRecord[];
  /** Admitted with INTERRUPT: left-over steering does not overtake it. */
  readonly interrupting?: true;
}

/** What a session runs with in place of what its agent says; absent members change nothing. */
export interface SessionOverrides {
  /** Name of a provider, with a model only; absent means that of `models.default`. */
  readonly provider?: string;
  readonly model?: string;
  /** From 0 to 2. */
  readonly temperature?: number;
  readonly systemPrompt?: string;
}

/** JSON of SessionRow.body. */
export interface SessionSide {
  /** Usage of the newest model call: SessionResponse.context_tokens. */
  readonly contextTokens?: TurnUsage;
  /** Sum over the turns that ended since the session was made or cleared. */
  readonly totalUsage?: TurnUsage;
  /** Condition LastTurn: the newest ended turn. */
  readonly lastTurn?: {
    readonly turnId: string;
    readonly state: TurnState;
    readonly reason: string;
    readonly at: number;
  };
  /** Someone asked for a compaction; it runs with the next turn. */
  readonly compactRequested?: true;
  /** Active skills in activation order. */
  readonly skills: readonly string[];
  /** Reported over counted input tokens by `provider/model`. */
  readonly tokenCorrection: Readonly<Record<string, number>>;
  /** Tools allowed or denied for the session by an option with `remember`. */
  readonly remembered: Readonly<Record<string, 'allow' | 'deny'>>;
  /** Goals of capability `goals`; written by `createSessionGoals` (runtime/session) only. */
  readonly goals?: readonly Goal[];
  readonly acpSessionId: string;
  readonly sandboxRef: string;
  /** Written when the session is made; kept when it is cleared. */
  readonly overrides?: SessionOverrides;
}

/** JSON of PermissionRow.body and of the REQUEST_PERMISSION payload, in camelCase. */
export interface PermissionData {
  readonly id: string;
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** What kind of answer is asked for; absent in requests of releases before, which all ask for permission. */
  readonly kind?: RequestKind;
  /** The call that asks; '' where no call does. */
  readonly toolCallId: string;
  /** Name of the question within its call; absent where a call asks only one. */
  readonly key?: string;
  readonly action: string;
  readonly prompt: string;
  readonly input: unknown;
  /** JSON Schema of the answer to an `input`. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** What a person opens to sign in. */
  readonly url?: string;
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
  /** On whose account the turn runs; absent in requests of releases before. */
  readonly identity?: string;
  /** The data of an accepted `input`. */
  readonly answer?: unknown;
}

/**
 * What a turn may ask a person: to run a tool, to give data, to sign in to a tool's server, to raise a limit. All of them wait, are listed,
 * answered and closed in the same way.
 */
export type RequestKind = 'permission' | 'input' | 'sign_in' | 'budget';
