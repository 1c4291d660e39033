/**
 * transport: one request or one stream over fetch: the Connect protocol for calls, JSON lines over REST for streams (their
 * blank lines show that a connection lives). Turns every failure into an SvcError. Knows no message: callers bring bytes or
 * JSON and take them, so that a caller without descriptors loads none.
 */
export type { Connection, Credentials } from './connection.ts';
export { streamLines } from './line-stream.ts';
export { callRepeatedly } from './repeated-call.ts';
export { defaultRetryPolicy, type RetryPolicy, retryDelayMs, takesIdempotencyKey } from './retry-rules.ts';
export { callUnary, cancelled } from './unary-call.ts';
