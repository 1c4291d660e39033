/**
 * protocols/a2a: the official library of the agent-to-agent protocol behind plain types (`contract.ts`): agents of this server for peers
 * that speak version 1.0 or 0.3, over JSON-RPC and REST, and calls to agents elsewhere (`client-contract.ts`). It knows neither sessions
 * nor addresses. app makes it and hands it to features/coordination/agent-protocol and features/coordination/delegation.
 */
export * from './client-contract.ts';
export * from './contract.ts';
export { createPeerClient } from './peer-client.ts';
export { createPeerServer } from './peer-server.ts';
