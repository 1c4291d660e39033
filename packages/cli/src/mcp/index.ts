/**
 * mcp: signing in to MCP servers from the terminal, and the list of who is. The servers themselves are resources: `svc get mcp`.
 */

export { type GrantOptions, type LoginOptions, type LogoutOptions, listGrants, login, logout } from './mcp.ts';
