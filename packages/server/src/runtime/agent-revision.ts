import type { AgentSpec } from '@svc/api/resources';

/** One revision of an agent, as a turn runs it. `spec` is frozen. */
export interface AgentRevision {
  readonly uid: string;
  readonly generation: number;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: AgentSpec;
  /** Set where the system prompt is that of the session, in place of the agent's. */
  readonly promptOf?: 'session';
  readonly deleting: boolean;
  /** Non-empty: why turns are refused with AGENT_NOT_READY. */
  readonly notReady: string;
}
