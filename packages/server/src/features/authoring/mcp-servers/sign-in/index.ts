/**
 * Signing in to MCP servers, for each person or for a namespace: grants with their encrypted tokens (grants, access-tokens), sign-ins that
 * began (sign-ins) and come back at /v1/oauth/callback (callback-routes), the turns that wait for one (waiting-turns), and what svc is to
 * authorization servers (client-registrations). Does not own the protocol (protocols/mcp-oauth), nor which server a reference means
 * (../connections). For users: docs/mcp.md.
 */
export { AccessTokens, type GrantUse } from './access-tokens.ts';
export { asksForMore } from './grant-key.ts';
export { grantOperations } from './grant-operations.ts';
export { Grants, isFor } from './grants.ts';
export { SignInNeeded } from './sign-in-needed.ts';
export { type SignInPartsDeps, signInParts } from './sign-in-parts.ts';
export type { DeclaredClient, SignInSubject, SignIns } from './sign-ins.ts';
