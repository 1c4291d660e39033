/**
 * envelope: length-prefixed messages, shared by gRPC, gRPC-web and Connect streams: cutting, sealing, compression and
 * the two encodings. Knows no headers and no trailers; those are the protocols' own.
 */
export * from './envelope.ts';
export * from './frame-cache.ts';
export * from './message-format.ts';
export * from './message-reader.ts';
export * from './request-reader.ts';
