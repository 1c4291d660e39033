import type { AgentSpec } from '@svc/api/resources';
import { type KindContract, kindContract, type WriteOrigin } from '../../../controllers/contract.ts';
import type { PromptCheck } from '../../../runtime/contract.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { keepRevision } from './agent-revisions.ts';
import { checkAgentOptions, checkAgentSpec, fillAgentDefaults } from './agent-rules.ts';
import { type AgentStatusDeps, agentStatusDependencies, observeAgent } from './agent-status.ts';

export interface AgentKindDeps extends AgentStatusDeps {
  readonly promptCheck: PromptCheck;
  /** Removes the agent's sessions, or sees to it that they go. */
  readonly removeSessions: (tx: WriteTx, agent: StoredResource, origin: WriteOrigin) => Promise<void>;
}

/** How agents are written, whichever operation writes them. */
export const agentContract = (deps: AgentKindDeps): KindContract =>
  kindContract<AgentSpec>({
    kind: 'Agent',
    defaults: fillAgentDefaults,
    validate: (write) => [...checkAgentSpec(write.spec, deps.promptCheck), ...checkAgentOptions(write.annotations)],
    observe: (reads, observed) => observeAgent(deps, reads, observed),
    dependsOn: agentStatusDependencies(deps),
    applied: async (tx, write) => {
      if (write.current !== undefined && write.isSpecChanged) await keepRevision(tx, write.current);
    },
    removing: deps.removeSessions,
  });
