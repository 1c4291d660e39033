/**
 * features/conversation/agents: agents as resources: the four operations, the rules of their specs, their conditions, and the revisions that
 * turns run. Does not run turns, own sessions or templates. app wires it; runtime gets the directory as its AgentDirectory.
 */
export { StoredAgentDirectory } from './agent-directory.ts';
export type { AgentDependencies } from './agent-findings.ts';
export { agentContract } from './agent-kind.ts';
export { agentOperations } from './agent-operations.ts';
export { AgentRevisionDrop } from './agent-revisions.ts';
export { AgentSessions } from './agent-sessions.ts';
