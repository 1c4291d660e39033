/**
 * features/coordination/delegation: agents that give work to other agents over the connections of their spec. It owns the tools agent_open,
 * agent_send, agent_status and agent_wait, their conversations (table `delegations`), the delivery of replies, to the call that waits or
 * else as a message, and the stop of work whose sender was stopped. It does not own turns and sessions (runtime), nor agents that
 * programs elsewhere use (agent-protocol). Called by app, which hands the hook to the runtime and lists the module.
 */
export { createDelegationHook } from './delegation-hook.ts';
export { delegationModule } from './delegation-module.ts';
