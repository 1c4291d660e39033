import type { SvcError } from '../error.ts';

/** How often and how patiently failed calls are repeated. */
export interface RetryPolicy {
  /** Tries in all; 1 never repeats. */
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

/** How calls are repeated where the options say nothing else. */
export const defaultRetryPolicy: RetryPolicy = { tries: 4, firstDelayMs: 100, maxDelayMs: 5_000 };

/** Operations that honour an idempotency key: with one, a repeated write has one effect. */
const keyed = new Set(['CreateSession', 'SendMessage', 'AppendSessionMessage', 'PostChannelMessage', 'CreateRun']);

/** Writes that have no second effect. */
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

/** True for operations, by name such as `SendMessage`, whose repeats an idempotency key makes one. */
export const takesIdempotencyKey = (operation: string): boolean => keyed.has(operation);

/** Reads, which REST binds to GET: their names say so, and so no descriptor is needed to know them. */
const READ = /^(?:Get|List|Read|Search|Stream|Watch)|^WhoAmI$/;

/** True when sending the call twice cannot have two effects. */
const isRepeatable = (operation: string): boolean =>
  READ.test(operation) || keyed.has(operation) || repeatable.has(operation);

/** True when the failure of an operation, by name such as `GetAgent`, may pass and repeating the call is safe. */
export const isRetryable = (operation: string, error: SvcError): boolean => {
  if (error.code !== 'UNAVAILABLE') return false;
  const isRefusedUnseen = error.reason === 'UNREACHABLE' || error.reason === 'SHUTTING_DOWN';
  return isRefusedUnseen || isRepeatable(operation);
};

/** Full jitter over a doubling span; a wait that the server asked for is the least. `attempt` counts from 1. */
export const retryDelayMs = (
  policy: RetryPolicy,
  attempt: number,
  facts: { readonly random: () => number; readonly retryAfterMs?: number | undefined },
): number => {
  const span = Math.min(policy.maxDelayMs, policy.firstDelayMs * 2 ** (attempt - 1));
  const jittered = span / 2 + (span / 2) * facts.random();
  return Math.max(jittered, facts.retryAfterMs ?? 0);
};
