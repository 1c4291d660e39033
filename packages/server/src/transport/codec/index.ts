/**
 * codec: messages to text and bytes and back, as JSON and protobuf binary. Owns the compiled writers
 * and the texts kept for frozen messages. Knows no protocol; every protocol folder calls it.
 */
export * from './codec.ts';
export * from './json-decoder.ts';
export type { EncodeJson, EncodeJsonInSteps } from './json-encoder.ts';
export * from './json-text.ts';
