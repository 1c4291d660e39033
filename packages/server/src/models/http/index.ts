/**
 * http: the connections of all drivers, one pool for each process. Knows no protocol of a
 * provider. Used by the chat and sdk drivers.
 */
export { type Endpoint, endpointOf, headerText } from './endpoint.ts';
export type { ExchangeControl, ExchangeHandler, ResponseHeaders } from './exchange-contract.ts';
export { HttpAgent } from './http-agent.ts';
