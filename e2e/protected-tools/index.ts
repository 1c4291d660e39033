/**
 * protected-tools: an MCP server on 127.0.0.1 that takes only tokens of its own authorization server, which agrees at once with
 * every browser. It outlives the svc server that a test kills.
 */
export { ProtectedTools } from './protected-tools.ts';
