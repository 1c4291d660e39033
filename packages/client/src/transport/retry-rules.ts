import type { Method } from '@svc/api/methods';
import type { SvcError } from '../error.ts';

/** How often and how patiently failed calls are repeated. */
export interface RetryPolicy {
  /** Tries in all; 1 never repeats. */
  readonly tries: number;
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
}

export const defaultRetryPolicy: RetryPolicy = { tries: 4, firstDelayMs: 100, maxDelayMs: 5_000 };

/** Operations that honour an idempotency key (API-1.7): with one, a repeated write has one effect. */
const keyed = new Set(['CreateSession', 'SendMessage', 'AppendSessionMessage', 'PostChannelMessage', 'CreateRun']);

/** Writes whose second effect is none. */
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

export const takesIdempotencyKey = (method: Method): boolean => keyed.has(method.name);

/** True when sending the call twice cannot have two effects. */
const isRepeatable = (method: Method): boolean =>
  method.http.verb === 'GET' ||
  keyed.has(method.name) ||
  repeatable.has(method.name) ||
  method.name.startsWith('Search');

/** True when the failure may pass and repeating the call is safe. */
export const isRetryable = (method: Method, error: SvcError): boolean => {
  if (error.code !== 'UNAVAILABLE') return false;
  const isRefusedUnseen = error.reason === 'UNREACHABLE' || error.reason === 'SHUTTING_DOWN';
  return isRefusedUnseen || isRepeatable(method);
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
