import { create } from '@bufbuild/protobuf';
import { TokenCounterSchema } from '@svc/api/data';
import { expect, it } from 'vitest';
import { costText, countText, usageText } from './figures.ts';

it('writes counts short', () => {
  expect([0, 950, 9_999, 12_340, 4_000_000].map(countText)).toEqual(['0', '950', '9,999', '12.3 k', '4 M']);
});

it('writes costs so that small ones do not vanish', () => {
  expect([0, 120, 1_500_000].map(costText)).toEqual(['0.0000', '0.0001', '1.50']);
});

it('writes tokens with their cost where there is one', () => {
  const usage = create(TokenCounterSchema, { inputTokens: 1_200n, outputTokens: 80n });
  expect(usageText(usage)).toBe('1,200 in, 80 out');
  expect(usageText({ ...usage, costMicros: 1_200n })).toBe('1,200 in, 80 out, 0.0012');
  expect(usageText(undefined)).toBe('');
});
