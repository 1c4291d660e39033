/** tools: the tools of an agent as it would be offered them now, why others are missing, and a try of each. */
export { AgentTools } from './agent-tools.tsx';
