/**
 * features/authoring/mcp-servers: MCP servers and bindings as resources: their rules, the eight operations, their conditions, and what a
 * reference of an agent resolves to (`mcp-references.ts`). Connects to nothing: turns have no MCP client yet. app wires it.
 */
export { mcpServersModule } from './mcp-servers-module.ts';
