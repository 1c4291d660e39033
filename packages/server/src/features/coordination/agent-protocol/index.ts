/**
 * features/coordination/agent-protocol: agents of this server for peers elsewhere, by the agent-to-agent protocol: public cards, and
 * JSON-RPC and REST over sessions and turns: a context is a session, a task is a turn, the id of a message is its idempotency key. It owns the
 * meaning of tasks, and the addresses to which their states are sent (table `task_pushes`); the protocol itself is protocols/a2a, sessions and turns belong to features/conversation/sessions and runtime, which app
 * hands in. Called by app, which lists the module.
 */
export { agentProtocolModule } from './agent-protocol-module.ts';
export { createTaskPushHook } from './push-hook.ts';
