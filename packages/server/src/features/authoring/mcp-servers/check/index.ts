/**
 * features/authoring/mcp-servers/check: how a server is right now, for people: the operation CheckMcpServer, and why an agent has no tools of a
 * server that it names. Connects through the pool that turns use (connections/) and keeps nothing.
 */
export { checkOperation } from './check-operation.ts';
export { type MissingServer, missingServer } from './server-state.ts';
