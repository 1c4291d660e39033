/**
 * protocols/mcp-server: the Model Context Protocol as a server, on the official library: what is offered comes from outside
 * (`contract.ts`), the protocol from the library. Keeps no session.
 */
export { createMcpServing } from './mcp-serving.ts';
export { serveToolsOver } from './pipe-serving.ts';
