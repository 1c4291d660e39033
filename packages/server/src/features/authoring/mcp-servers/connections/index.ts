/**
 * The connections of turns to MCP servers: which server a reference leads to now (server-lookup), one slot for each with its
 * connection, list of tools and breaker (server-slot, connection-pool), its tools for models (mcp-tool-source), and calls that became tasks of their
 * server (task-calls, task-polls). Does not own the
 * protocol (protocols/mcp) nor the conditions of the resources, to which it only reports.
 */
export { BrokerTokens, type BrokerTokensDeps } from './auth-broker.ts';
export { ConnectionPool } from './connection-pool.ts';
export { mcpToolSource } from './mcp-tool-source.ts';
export { descriptionOf, schemaOf } from './mcp-tools.ts';
export { ServerLookup } from './server-lookup.ts';
export type { FailedList, ListOutcome } from './server-slot.ts';
export { type SignInToolsDeps, signInPort } from './sign-in-tools.ts';
export { TaskPolls } from './task-polls.ts';
export type { ServerUse, WantedServer } from './wanted-server.ts';
