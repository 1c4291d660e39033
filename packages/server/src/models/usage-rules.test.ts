import { describe, expect, it } from 'vitest';
import { normaliseUsage } from './usage-rules.ts';

const base = {
  target: { provider: 'p', model: 'm' },
  price: undefined,
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
    expect(usage).not.toHaveProperty('cost');
    expect(usage).not.toHaveProperty('providerRequestId');
  });

  it('costs cached input like other input when it has no own price', () => {
    const reported = { inputTokens: 1_000_000, cachedInputTokens: 2_000_000, outputTokens: 500_000 };
    const usage = normaliseUsage(reported, { ...base, price: { input: 3, output: 4 }, providerRequestId: 'r1' });
    expect(usage.cost).toBeCloseTo(5);
    expect(usage.providerRequestId).toBe('r1');
  });
});
