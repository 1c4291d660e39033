/**
 * app/outbound: requests the server makes to addresses that a namespace named. Resolves names itself, connects to
 * the checked address and refuses what is not public unless `net.allow` lists it.
 */
export { outboundAddresses } from './address-rules.ts';
export { GuardedFetch } from './guarded-fetch.ts';
export { connectorOutbound, mcpOutbound, peerOutbound, pushOutbound } from './mcp-outbound.ts';
export { researchOutbound } from './research-outbound.ts';
