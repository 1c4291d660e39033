import { KNOWN_AGENTS } from '../../../protocols/acp/contract.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { StoredAgentDirectory } from './agent-directory.ts';
import type { AgentDependencies } from './agent-findings.ts';
import { type AgentKindDeps, agentContract } from './agent-kind.ts';
import { type AgentOperationsDeps, agentOperations } from './agent-operations.ts';
import { AgentRevisionDrop } from './agent-revisions.ts';
import { AgentSessions } from './agent-sessions.ts';
import type { AgentStatusDeps } from './agent-status.ts';

interface AgentsModuleDeps
  extends Pick<AgentKindDeps, 'promptCheck'>,
    Omit<AgentStatusDeps, 'dependencies'>,
    Omit<AgentOperationsDeps, 'responseBytes'> {
  readonly dependencies: Omit<AgentDependencies, 'hasHarness'>;
  readonly settings: {
    /** Coding agents by name. */
    readonly 'acp.harnesses': Readonly<Record<string, unknown>>;
    readonly 'limits.responseBytes': number;
  };
}

export interface AgentsModule extends FeatureModule {
  /** Agents as turns run them. */
  readonly directory: StoredAgentDirectory;
}

/** The kind Agent with its operations, conditions and revisions, and the end of sessions whose agent is gone. */
export const agentsModule = (deps: AgentsModuleDeps): AgentsModule => {
  const { store, writer, settings } = deps;
  const hasHarness = (name: string): boolean =>
    Object.hasOwn(settings['acp.harnesses'], name) || Object.hasOwn(KNOWN_AGENTS, name);
  const dependencies = { ...deps.dependencies, hasHarness };
  const sessions = new AgentSessions({ store, writer: () => writer });
  return {
    kinds: [
      agentContract({
        ...deps,
        dependencies,
        removeSessions: (tx, agent, origin) => sessions.remove(tx, agent, origin),
      }),
    ],
    workers: [sessions, new AgentRevisionDrop(store)],
    operations: agentOperations({ ...deps, responseBytes: settings['limits.responseBytes'] }),
    directory: new StoredAgentDirectory(),
  };
};
