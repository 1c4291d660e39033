/**
 * grpc: the gRPC protocol over HTTP/2: content types, timeouts, frames, trailers. Sees exchanges and typed messages,
 * never sockets or the business. Status trailers and timeouts are shared with grpc-web.
 */
export { GrpcProtocol, grpcFormat } from './grpc-protocol.ts';
export { type GrpcParts, unknownOperation } from './grpc-wire.ts';
export { statusTrailers } from './status-trailer.ts';
export { grpcTimeoutMs } from './timeout.ts';
