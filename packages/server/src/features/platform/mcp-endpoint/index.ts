/**
 * features/platform/mcp-endpoint: `/mcp`, where clients of the Model Context Protocol talk to the agents of a namespace (`ask_<agent>`), call every
 * operation that they may use, read its knowledge and take its skills as prompts. It calls operations as they are declared, under the grants of
 * the caller; the protocol itself is in protocols/mcp-server.
 */
export { mcpEndpointModule } from './mcp-endpoint-module.ts';
