/**
 * features/coordination/delegation: agents that give work to other agents over the connections of their spec: the tools agent_open,
 * agent_send, agent_status and agent_wait, the conversations they keep (table `delegations`), how a reply gets back to the agent that
 * waits for it, or to its session when no call does, and how a stop reaches down. It does not own turns and sessions (runtime) nor what of this
 * server agents elsewhere may use. Called by app, which hands the hook to the runtime and lists the module.
 */
export { createDelegationHook } from './delegation-hook.ts';
export { delegationModule } from './delegation-module.ts';
