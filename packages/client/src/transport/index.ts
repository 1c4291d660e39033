/**
 * transport: one request or one stream over fetch: the Connect protocol for calls, JSON lines over REST for streams (their
 * blank lines show that a connection is alive). Turns every failure into an SvcError. Knows no messages: callers pass and receive
 * bytes or JSON, so that a caller without descriptors loads none.
 */
export type { Connection, Credentials } from './connection.ts';
export { streamLines } from './line-stream.ts';
export { networkError } from './network-error.ts';
export { callRepeatedly } from './repeated-call.ts';
export {
  defaultRetryPolicy,
  isInterruption,
  type RetryPolicy,
  streamRetryMs,
  takesIdempotencyKey,
} from './retry-rules.ts';
export { openRoute, type RouteRequest } from './route-request.ts';
export { callUnary, cancelled } from './unary-call.ts';
