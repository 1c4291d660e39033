/**
 * features/conversation/tool-tries: the tools of an agent for people: which it would be offered and why others are missing, and one of them
 * called without a model. Owns the operations ListAgentTools and TryTool with their rules, quotas, audit records and answers; how a tool runs
 * is runtime/tool-tries. Called by app.
 */
export { toolTriesModule } from './tool-tries-module.ts';
