import type { AgentSpec } from '@svc/api/resources';
import type { ReadTx, WriteTx } from '../store/contracts/index.ts';
import type { ObjectData } from './part-contract.ts';
import type { PromptSkills } from './prompt-contract.ts';
import type { TurnUsage } from './turn-contract.ts';

/** What runtime needs of features, as interfaces that app satisfies. */

/** One revision of an agent, as a turn runs it. `spec` is frozen. */
export interface AgentRevision {
  readonly uid: string;
  readonly generation: number;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: AgentSpec;
  readonly deleting: boolean;
  /** Non-empty: why turns are refused with AGENT_NOT_READY. */
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
  /** Throws NAMESPACE_MISSING or NAMESPACE_DELETED; for writes. */
  requireLive(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<void>;
  /** Labels for the template variable `namespace.labels.*`. */
  labels(tx: Pick<ReadTx, 'resources'>, namespace: string): Promise<Readonly<Record<string, string>>>;
}

/** Skills as prompts show them, read again at each step. */
export interface SkillSource {
  /** `active`: names in activation order; the text of one that vanished is undefined. */
  promptSkills(tx: Pick<ReadTx, 'resources'>, namespace: string, active: readonly string[]): Promise<PromptSkills>;
}

export type UsageMetric = 'llm.requests' | 'tool.calls' | 'agent.sessions';

export interface UsageSubject {
  readonly namespace: string;
  readonly agent: string;
  readonly identity: string;
  readonly provider?: string;
  readonly model?: string;
}

/** Quotas. The policies come with a later part; every model call, tool call and session already goes through here. */
export interface UsageMeter {
  /** False when no policy can match: the reservation's transaction is then saved. */
  governs(namespace: string): boolean;
  /** Throws Fault QUOTA_EXCEEDED {metric, policy, used, max, reset_at}; `key` makes a repeated reservation free. */
  reserve(tx: WriteTx, metric: UsageMetric, subject: UsageSubject, key: string): Promise<void>;
  giveBack(tx: WriteTx, metric: UsageMetric, subject: UsageSubject, key: string): Promise<void>;
  /** Charged in the transaction of the journal entry or the stop: both or neither. */
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
  /** Bytes of the object, without reading them; undefined when it is gone. */
  size(namespace: string, object: ObjectData): Promise<number | undefined>;
  /** Undefined when the object is gone. */
  read(namespace: string, object: ObjectData): Promise<Uint8Array | undefined>;
}
