/**
 * mcp: whether MCP servers answer and with which tools, signing in to them from the terminal, and the list of who is. The servers themselves are resources: `svc get mcp`.
 */

export { type CheckOptions, checkServer } from './check.ts';
export { type GrantOptions, type LoginOptions, type LogoutOptions, listGrants, login, logout } from './mcp.ts';
