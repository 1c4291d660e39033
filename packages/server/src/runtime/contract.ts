import { Fault } from '../base/index.ts';
import type { MessageRow, ReadTx, SessionRow, TurnRow, WriteTx } from '../store/contracts/index.ts';
import type { ToolTurn } from '../tools/contract.ts';
import type { AgentRevision } from './agent-revision.ts';
import type { PromptSkills } from './prompt/prompt-contract.ts';
import type {
  ObjectData,
  Part,
  PermissionData,
  PlacedPart,
  SessionOverrides,
  Span,
  TurnBody,
  TurnCause,
  TurnUsage,
} from './record/contract.ts';

/**
 * What runtime exports to features (admission, session lifecycle, stop, live view) and what it needs of them (agents,
 * namespaces, usage, files), as interfaces that app satisfies. Everything that takes part in a
 * transaction gets the transaction's handle.
 */

export type * from './agent-revision.ts';
export * from './attempt/telemetry-contract.ts';
export type * from './harness-contract.ts';
export type * from './inspection/inspection-contract.ts';
export * from './prompt/prompt-contract.ts';
export * from './record/contract.ts';
export {
  addUsage,
  admittedAt,
  isTurnOver,
  kindOf,
  lineageBelow,
  lineageProblem,
  parseBody,
  parsePermission,
  partId,
  recordedParts,
  replyTextOf,
  withSandbox,
} from './record/index.ts';
export type * from './tool-tries/tool-tries-contract.ts';

export type WhenBusy = 'QUEUE' | 'STEER' | 'REJECT' | 'INTERRUPT';

/** One accepted piece of work from any source. */
export interface Submission {
  readonly namespace: string;
  readonly agent: string;
  readonly sessionId: string;
  /** Text first; ids are given by admission when ''. Objects and URLs are already stored and checked. */
  readonly parts: readonly Part[];
  readonly labels: Readonly<Record<string, string>>;
  readonly whenBusy: WhenBusy;
  readonly cause: TurnCause;
  /** When the message was written, micros; absent = now. Its place in the session follows from its arrival. */
  readonly writtenAt?: number;
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
  /**
   * Admits a message inside the caller's transaction: checks, message, turn, wake-up. Throws Fault and changes nothing.
   * Wakes workers after the commit.
   */
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
      readonly overrides?: SessionOverrides;
    },
  ): Promise<SessionRow>;
  remove(tx: WriteTx, session: SessionRow): Promise<void>;
  /** The next turn of the session summarises the messages before its own, however few they are. */
  requestCompaction(tx: WriteTx, session: SessionRow): Promise<void>;
  /** Throws SESSION_BUSY while busy unless `stop`. */
  clear(tx: WriteTx, session: SessionRow, stop: boolean): Promise<void>;
  fork(
    tx: WriteTx,
    session: SessionRow,
    options: {
      readonly throughMessageId: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly identity: string;
      /** Put over those of the session, which the fork keeps. */
      readonly overrides?: SessionOverrides;
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
  /** Empty turnId: the running or waiting turn and all queued ones. Answers the ids that this call stopped. */
  stop(tx: WriteTx, session: SessionRow, turnId: string): Promise<readonly string[]>;
  /** Stops every running and waiting turn of the namespaces; queued ones stay. */
  stopNamespaces(tx: WriteTx, namespaces: ReadonlySet<string>): Promise<void>;
  /** Same answer again is fine; another, or a closed request, is PERMISSION_CLOSED. */
  answerPermission(
    tx: WriteTx,
    session: SessionRow,
    answer: {
      readonly requestId: string;
      readonly allow: boolean;
      readonly optionId: string;
      readonly comment: string;
      readonly decidedBy: string;
      /** The data that an `input` asks for. */
      readonly value?: unknown;
      /** Set by the sign-in itself: no one else may say that one succeeded. */
      readonly isSignIn?: boolean;
    },
  ): Promise<PermissionData>;
}

/** Wakes calls of tools that wait for events. */
export interface CallWakes {
  /**
   * The event that calls of the turn wait for under `key` happened. False when none waits for it: the turn is over, or the call looks
   * for the event itself before it waits. Locks the turn's session, so call it in a transaction that holds no other one.
   */
  wake(tx: WriteTx, turnId: string, key: string): Promise<boolean>;
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
  /** How long other questions than those for permission wait for a person. */
  readonly requestTimeoutMs: number;
  readonly historySeconds: number;
  readonly streamRestart: number;
  readonly drainMs: number;
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
  /** Throws NAMESPACE_MISSING or NAMESPACE_DELETED; for writes. */
  requireLive(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<void>;
  /** Labels for the template variable `namespace.labels.*`. */
  labels(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<Readonly<Record<string, string>>>;
}

/** Skills as prompts show them, read again at each step. */
export interface SkillSource {
  /** `active`: names in activation order; the text of one that vanished is undefined. */
  promptSkills(tx: Pick<ReadTx, 'resources'>, namespace: string, active: readonly string[]): Promise<PromptSkills>;
  /** The same with the skills that do not come from the store, which may take a few seconds. Absent: there are none. */
  withOutside?(turn: ToolTurn, skills: PromptSkills): Promise<PromptSkills>;
}

export type UsageMetric = 'llm.requests' | 'tool.calls' | 'agent.sessions';

export interface UsageSubject {
  readonly namespace: string;
  readonly agent: string;
  readonly identity: string;
  readonly provider?: string;
  readonly model?: string;
}

/** What a model call may cost at most, by the counted prompt and the cap of the answer. */
export interface CostEstimate {
  /** Micros of the prompt. */
  readonly promptMicros: number;
  /** Micros of one token of the answer. */
  readonly tokenMicros: number;
  /** Most tokens of the answer, its reasoning included. */
  readonly outputTokens: number;
}

/** What a person is asked where a policy lets its limit be raised. */
export interface BudgetQuestion {
  readonly prompt: string;
  /** What is used up; comes back with the answer. */
  readonly input: Readonly<Record<string, string | number>>;
  readonly options: PermissionData['options'];
}

/** A quota is used up; `budget` is set where a person may raise it. */
export class QuotaFault extends Fault {
  readonly budget: BudgetQuestion | undefined;

  constructor(
    sentence: string,
    facts: { readonly metadata: Readonly<Record<string, string>>; readonly retryAfterMs: number },
    budget: BudgetQuestion | undefined,
  ) {
    super('RESOURCE_EXHAUSTED', 'QUOTA_EXCEEDED', sentence, facts);
    this.budget = budget;
  }
}

/** Quotas, and the record of what is used. */
export interface UsageMeter {
  /** False when no policy can match: the reservation's transaction is then saved. */
  governs(namespace: string): boolean;
  /** Whether money is limited where the subject acts: its calls are then estimated and reserved. */
  limitsCost(subject: UsageSubject): boolean;
  /** Throws QuotaFault {metric, policy, used, max, reset_at}; `key` makes a repeated reservation free. */
  reserve(tx: WriteTx, metric: UsageMetric, subject: UsageSubject, key: string): Promise<void>;
  giveBack(tx: WriteTx, metric: UsageMetric, subject: UsageSubject, key: string): Promise<void>;
  /**
   * Reserves what the next model call of a turn may cost, in place of what is still reserved for the turn; answers how many tokens
   * the answer may have, fewer than asked for where not more is left. Throws QuotaFault as `reserve`.
   */
  reserveCost(tx: WriteTx, subject: UsageSubject, turnId: string, estimate: CostEstimate): Promise<number>;
  /** Gives back what is reserved for the turn's model call; nothing where nothing is. */
  releaseCost(tx: WriteTx, namespace: string, turnId: string): Promise<void>;
  /**
   * Charged and recorded in the transaction of the journal entry or the stop: both or neither. What was reserved for the turn's model
   * call is given back with it.
   */
  charge(tx: WriteTx, subject: UsageSubject, usage: TurnUsage, turnId: string): Promise<void>;
  /** A person answered a `budget` question with a raise: it counts for one window. */
  raise(tx: WriteTx, answered: PermissionData): Promise<void>;
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
  /** Bytes of the object, without reading them; undefined when it is gone. */
  size(namespace: string, object: ObjectData): Promise<number | undefined>;
  /** Undefined when the object is gone. */
  read(namespace: string, object: ObjectData): Promise<Uint8Array | undefined>;
}

/** Runs in the transaction that ends a turn: deliveries, tasks, workflow steps, parent wake-ups. */
export interface TurnEndHook {
  turnEnded(
    tx: WriteTx,
    end: { readonly session: SessionRow; readonly turn: TurnRow; readonly body: TurnBody; readonly replyText: string },
  ): Promise<void>;
}

/** Runs in the transaction in which a worker takes a turn, and in the one in which the turn begins to wait without a worker. */
export interface TurnProgressHook {
  turnTaken(tx: WriteTx, taken: { readonly turn: TurnRow; readonly body: TurnBody }): Promise<void>;
  turnParked(
    tx: WriteTx,
    parked: { readonly turn: TurnRow; readonly body: TurnBody; readonly waitsFor: 'person' | 'event' },
  ): Promise<void>;
}
