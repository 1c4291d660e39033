import type { SvcError } from '../error.ts';

/** How often and how soon failed calls are retried. */
export interface RetryPolicy {
  /** Attempts in all; 1 never retries. */
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** The default retry policy. */
export const defaultRetryPolicy: RetryPolicy = { tries: 4, firstDelayMs: 100, maxDelayMs: 5_000 };

/**
 * Operations that honour an idempotency key: with one, a retried write has one effect. TryTool is left to its caller: a retry that overtakes the
 * first attempt calls the tool a second time.
 */
const keyed = new Set(['CreateSession', 'SendMessage', 'AppendSessionMessage', 'PostChannelMessage', 'CreateRun']);

/** Writes whose repetition has no second effect. */
const repeatable = new Set([
  'StopSessionGeneration',
  'ClearSession',
  'AnswerPermission',
  'UpdateSessionMessage',
  'ApplyResource',
  'CompleteUpload',
  'RevokeApiKey',
  'CancelRun',
]);

/** True for operations, by name such as `SendMessage`, that honour an idempotency key. */
export const takesIdempotencyKey = (operation: string): boolean => keyed.has(operation);

/** Reads, which REST binds to GET. Their names tell, so no descriptor is needed. */
const READ = /^(?:Get|List|Read|Search|Stream|Watch)|^(?:WhoAmI|ReportUsage)$/;

/** True when sending the call twice cannot have two effects. */
const isRepeatable = (operation: string): boolean =>
  READ.test(operation) || keyed.has(operation) || repeatable.has(operation);

/** True when an operation, by name such as `GetAgent`, may succeed later and repeating it is safe. */
export const isRetryable = (operation: string, error: SvcError): boolean => {
  if (error.code !== 'UNAVAILABLE') return false;
  const isRefusedUnseen = error.reason === 'UNREACHABLE' || error.reason === 'SHUTTING_DOWN';
  return isRefusedUnseen || isRepeatable(operation);
};

/** Full jitter over a doubling span, but at least the wait that the server asked for. `attempt` counts from 1. */
export const retryDelayMs = (
  policy: RetryPolicy,
  attempt: number,
  facts: { readonly random: () => number; readonly retryAfterMs?: number | undefined },
): number => {
  const span = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  const jittered = span / 2 + (span / 2) * facts.random();
  return Math.max(jittered, facts.retryAfterMs ?? 0);
};

/** True for failures after which the same stream can continue at its cursor. */
export const isInterruption = (error: SvcError): boolean =>
  error.code === 'UNAVAILABLE' || error.reason === 'SLOW_CONSUMER';

/**
 * The wait before a stream is opened again after its `failures`-th failure in a row, in milliseconds. `error` is undefined for a stream
 * that ended normally before its end.
 */
export const streamRetryMs = (
  policy: RetryPolicy,
  failures: number,
  { error, random }: { readonly error: SvcError | undefined; readonly random: () => number },
): number =>
  error?.reason === 'SLOW_CONSUMER' ? 0 : retryDelayMs(policy, failures, { random, retryAfterMs: error?.retryAfterMs });
