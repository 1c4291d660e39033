import { type ClientEnvironment, pause } from '../environment.ts';
import { isSvcError } from '../error.ts';
import { isRetryable, type RetryPolicy, retryDelayMs } from './retry-rules.ts';
import { cancelled } from './unary-call.ts';

/** A call that may be sent more than once. */
interface RepeatedCall<T> {
  /** Such as `GetAgent`. */
  readonly operation: string;
  readonly signal: AbortSignal | undefined;
  /** One attempt. */
  readonly once: () => Promise<T>;
}

/** Retries until the call succeeds, the policy ends or a retry would not be safe; throws the SvcError of the last attempt. */
export const callRepeatedly = async <T>(
  environment: Pick<ClientEnvironment, 'clock' | 'random'>,
  policy: RetryPolicy,
  { operation, signal, once }: RepeatedCall<T>,
): Promise<T> => {
  const { clock, random } = environment;
  for (let attempt = 1; ; attempt++) {
    try {
      return await once();
    } catch (error) {
      if (!isSvcError(error) || attempt >= policy.tries || !isRetryable(operation, error)) throw error;
      await pause(clock, retryDelayMs(policy, attempt, { random, retryAfterMs: error.retryAfterMs }), signal);
      if (signal?.aborted === true) throw cancelled(error);
    }
  }
};
