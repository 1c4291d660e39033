import { create } from '@bufbuild/protobuf';
import { UsageLimitStatusSchema } from '@svc/api/resources';
import { expect, it } from 'vitest';
import { costText, dayText, everyDay, limitText, usedText } from './usage-texts.ts';

it('writes money with as many digits as it needs', () => {
  expect([0n, 12n, 9_999n, 1_234_500n, 1_234_500_000n].map(costText)).toEqual([
    '0.00',
    '0.000012',
    '0.009999',
    '1.2345',
    '1,234.50',
  ]);
});

it('says what a limit counts, and what is used of it', () => {
  const plain = create(UsageLimitStatusSchema, { metric: 'llm.totalTokens', window: '5h', used: 64n, max: 2000n });
  expect([limitText(plain), usedText(plain)]).toEqual(['Tokens per 5h', '64 of 2,000']);
  const narrow = create(UsageLimitStatusSchema, {
    metric: 'llm.costMicros',
    window: '1d',
    selector: { agent: 'clerk', model: 'm' },
    subjectScope: 'identity',
    used: 1_500_000n,
    max: 20_000_000n,
  });
  expect([limitText(narrow), usedText(narrow)]).toEqual([
    'Cost per 1d, agent clerk, model m, for each identity',
    '1.5000 of 20.0000',
  ]);
});

it('fills days without a row', () => {
  const { at, values } = everyDay([{ name: '2030-01-30', value: 7 }], { days: 3, today: 1_896_134_399, none: 0 });
  expect([at.map(dayText), values]).toEqual([
    ['29 Jan', '30 Jan', '31 Jan'],
    [0, 7, 0],
  ]);
});
