/**
 * transport: one request or one stream over fetch: the Connect protocol with binary messages for calls, JSON lines over
 * REST for streams (their blank lines show that a connection lives). Turns every failure into an SvcError. It repeats
 * nothing; the call table and the session stream decide that.
 */
export type { Connection, Credentials } from './connection.ts';
export { streamLines } from './line-stream.ts';
export { defaultRetryPolicy, isRetryable, type RetryPolicy, retryDelayMs, takesIdempotencyKey } from './retry-rules.ts';
export { callUnary, cancelled } from './unary-call.ts';
