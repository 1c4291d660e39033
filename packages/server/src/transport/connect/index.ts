/**
 * connect: the Connect protocol: unary POST and GET as plain HTTP, streams as envelopes with an end-of-stream message.
 * Sees exchanges and typed messages only; shares frames with gRPC through envelope.
 */
export { ConnectProtocol } from './connect-protocol.ts';
export { isConnectGet } from './get-query.ts';
