/**
 * grpc-web: gRPC for browsers, binary and base64, over HTTP/1.1 and HTTP/2; trailers in a final frame. Shares status
 * trailers and timeouts with grpc and frames with envelope.
 */
export { GrpcWebProtocol } from './grpc-web-protocol.ts';
