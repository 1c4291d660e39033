import { describe, expect, it } from 'vitest';
import { normaliseUsage } from './usage-rules.ts';

const base = {
  target: { provider: 'p', model: 'm' },
  prices: undefined,
  providerRequestId: undefined,
  isEstimated: false,
};

describe('usage rules (RT-4.4)', () => {
  it('adds up a total that was not given, and keeps one that was', () => {
    expect(normaliseUsage({ inputTokens: 3, outputTokens: 4 }, base)).toMatchObject({
      totalTokens: 7,
      cachedInputTokens: 0,
      reasoningTokens: 0,
    });
    expect(normaliseUsage({ inputTokens: 3, outputTokens: 4, totalTokens: 9 }, base).totalTokens).toBe(9);
  });

  it('takes nonsense for nothing', () => {
    const usage = normaliseUsage({ inputTokens: -1, outputTokens: Number.NaN, reasoningTokens: 2.7 }, base);
    expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0, reasoningTokens: 2, totalTokens: 0 });
    expect(usage).not.toHaveProperty('costMicros');
    expect(usage).not.toHaveProperty('providerRequestId');
  });

  it('costs cached input like other input when it has no own price', () => {
    const reported = { inputTokens: 1_000_000, cachedInputTokens: 2_000_000, outputTokens: 500_000 };
    const usage = normaliseUsage(reported, { ...base, prices: { input: 3, output: 4 }, providerRequestId: 'r1' });
    expect(usage.costMicros).toBe(5_000_000);
    expect(usage.providerRequestId).toBe('r1');
  });

  it('costs every kind of token at its own price, and rounds up to a whole micro', () => {
    const prices = { input: 3, output: 15, cachedInput: 0.3, cacheWrite: 3.75, reasoning: 20 };
    const costOf = (reported: Parameters<typeof normaliseUsage>[0]): number | undefined =>
      normaliseUsage(reported, { ...base, prices }).costMicros;
    const all = { inputTokens: 1_000, cachedInputTokens: 400, cacheWriteTokens: 200, outputTokens: 100 };
    expect(costOf({ ...all, reasoningTokens: 40 })).toBe(400 * 3 + 400 * 0.3 + 200 * 3.75 + 60 * 15 + 40 * 20);
    expect(costOf({ inputTokens: 1, cachedInputTokens: 1, outputTokens: 0 })).toBe(1);
    expect(costOf({ inputTokens: 10, cachedInputTokens: 10, outputTokens: 0 })).toBe(3);
    // More cached and reasoning tokens than there are tokens count for no more than all of them.
    expect(costOf({ inputTokens: 10, cachedInputTokens: 5, cacheWriteTokens: 50, outputTokens: 0 })).toBe(21);
    expect(costOf({ inputTokens: 0, outputTokens: 5, reasoningTokens: 50 })).toBe(100);
  });
});
