import { describe, expect, it } from 'vitest';
import { costText, lastDays } from './usage-days.ts';

describe('lastDays', () => {
  it('fills days without use', () => {
    const rows = [
      { name: '2026-11-28', inputTokens: 5n, outputTokens: 2n },
      { name: '2026-11-21', inputTokens: 9n, outputTokens: 9n },
    ];
    const days = lastDays(rows, Date.UTC(2026, 10, 28, 17, 30));
    expect(days).toHaveLength(7);
    expect(days[0]).toEqual({ seconds: 1_795_305_600, input: 0, output: 0 });
    expect(days[6]).toEqual({ seconds: 1_795_824_000, input: 5, output: 2 });
  });
});

describe('costText', () => {
  it.each([
    [0n, '0'],
    [500n, '0.0005'],
    [12_340_000n, '12.34'],
  ])('%s', (micros, text) => {
    expect(costText(micros)).toBe(text);
  });
});
