/**
 * features/mcp-servers: MCP servers and bindings as resources: their rules, the eight operations, their conditions, and what a
 * reference of an agent resolves to. Does not connect to anything. app wires it; the MCP client of turns is to ask McpReferences.
 */
export { type McpBindingOperationsDeps, mcpBindingOperations } from './binding-operations.ts';
export type { EffectiveMcpServer, SourcedText } from './effective-server.ts';
export { type McpControllerDeps, mcpController } from './mcp-controller.ts';
export { type McpKindDeps, mcpContracts } from './mcp-kinds.ts';
export { type McpServerOperationsDeps, mcpServerOperations } from './server-operations.ts';
