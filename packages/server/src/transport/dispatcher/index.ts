/**
 * dispatcher: the one way from a routed request to its handler and back, the same for all protocols. Owns the method
 * table, the call, deadlines, stream sinks and their keep-alive wheel. Knows no encoding and no HTTP status: wires do.
 */
export { type Call, clientGone, DECODED_AT_ONCE_BYTES, type Framing, type Wire } from './call.ts';
export { Dispatcher, shuttingDown } from './dispatcher.ts';
export * from './method-entry.ts';
export { RequestMessages } from './request-messages.ts';
