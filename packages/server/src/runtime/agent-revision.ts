import type { AgentSpec } from '@svc/api/resources';

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
