/**
 * features/authoring/mcp-servers: MCP servers and bindings as resources: their rules, the eight operations, their conditions, and what a
 * reference of an agent resolves to (`mcp-references.ts`); what turns do with them (`connections`), and trying what was changed
 * (`mcp-probe.ts`). The protocol itself is protocols/mcp. app wires it. For users: docs/mcp.md.
 */
export { mcpServersModule } from './mcp-servers-module.ts';
