const FIRST_DELAY_MS = 500;
const LARGEST_DELAY_MS = 20_000;

interface RetryFacts {
  /** Tries already made, from 1. */
  readonly tries: number;
  readonly retryAfterMs: number | undefined;
  readonly retryAfterMaxMs: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

/**
 * Wait before the next try: what the provider asked for, or 0.5 s doubled with full jitter, at most 20 s. Undefined when
 * the provider asked for more than allowed: another profile is the better next try.
 */
export const retryDelayMs = (facts: RetryFacts): number | undefined => {
  const { retryAfterMs } = facts;
  if (retryAfterMs !== undefined) return retryAfterMs > facts.retryAfterMaxMs ? undefined : retryAfterMs;
  return facts.random * Math.min(LARGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (facts.tries - 1));
};
