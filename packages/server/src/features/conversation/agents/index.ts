/**
 * features/conversation/agents: agents as resources: the four operations, the rules of their specs, their conditions, and the revisions that
 * turns run. Does not run turns, own sessions or templates. app wires it; runtime gets the directory as its AgentDirectory.
 */
export { agentsModule } from './agents-module.ts';
