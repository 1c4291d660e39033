/**
 * http: the connections of all drivers, one pool for each process, and what is read of bodies that are not streams. Knows no protocol of a
 * provider. Used by the chat and sdk drivers.
 */

export { MAX_ERROR_BYTES, parseJsonBody } from './answer-body.ts';
export { type Endpoint, endpointOf, headerText } from './endpoint.ts';
export type { ExchangeControl, ExchangeHandler, ResponseHeaders } from './exchange-contract.ts';
export { HttpAgent } from './http-agent.ts';
