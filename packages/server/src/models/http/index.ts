/**
 * http: the connections of all drivers, one pool for each process, loaded with the first call. Knows no protocol of a
 * provider. Used by the chat and sdk drivers.
 */
export { type Endpoint, endpointOf, headerText } from './endpoint.ts';
export { HttpAgent } from './http-agent.ts';
