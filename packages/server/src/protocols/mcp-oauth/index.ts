/**
 * protocols/mcp-oauth: how svc gets tokens for MCP servers from authorization servers, on top of the official library of the protocol, which
 * is loaded at the first use. Owns discovery, client registration, PKCE, the check of issuers, limits on answers, and the translation of
 * failures. Keeps nothing: whose tokens there are, and where, is in features/authoring/mcp-servers/sign-in. app creates it.
 */
export * from './contract.ts';
export { createMcpOAuth } from './oauth-client.ts';
