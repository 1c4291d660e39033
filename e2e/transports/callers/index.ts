/**
 * callers: one operation through one protocol and client, with the outcome in a form that can be compared across all of
 * them. Independent clients where they exist (grpc-js, connect-node, connect-web); own few lines where none does (REST,
 * gRPC-web text). Called by the differential test and the tests of single protocols.
 */
export { connectCaller, grpcCaller, grpcWebCaller } from './connect-callers.ts';
export { grpcError, grpcJsCaller } from './grpc-js-caller.ts';
export { grpcWebTextCaller } from './grpc-web-text-caller.ts';
export { type Caller, isError, type Outcome } from './outcome.ts';
export { restCaller } from './rest-message-caller.ts';
