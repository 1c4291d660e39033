/**
 * transport: bytes to typed calls and back, for all protocols on one port. Owns listening, routing,
 * encodings, deadlines, fault codes and streams' framing; knows nothing of the business. Called by app, which hands in
 * the operations, plain routes, authentication and clock.
 */
export type * from './contract.ts';
export { createTransport } from './create-transport.ts';
