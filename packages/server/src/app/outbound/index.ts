/**
 * app/outbound: requests the server makes to addresses that a namespace named. Resolves names itself, connects to
 * the checked address and refuses what is not public unless `net.allow` lists it.
 */
export { GuardedFetch } from './guarded-fetch.ts';
export { mcpConnector } from './mcp-connector.ts';
