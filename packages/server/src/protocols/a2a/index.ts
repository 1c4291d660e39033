/**
 * protocols/a2a: the official library of the agent-to-agent protocol behind plain types (`contract.ts`): agents of this server for peers
 * that speak version 1.0 or 0.3, over JSON-RPC and REST. It knows neither sessions nor HTTP. app makes it and hands it to
 * features/coordination/agent-protocol.
 */
export * from './contract.ts';
export { createPeerServer } from './peer-server.ts';
