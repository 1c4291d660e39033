import { expect, it } from 'vitest';
import type { UsageDayRow } from '../../../store/contracts/index.ts';
import { UsageReport } from './report-rules.ts';

const row = (more: Partial<UsageDayRow>): UsageDayRow => ({
  namespace: 'default',
  agent: 'a',
  provider: 'p',
  model: 'm/1',
  identity: 'ann',
  day: 0,
  requests: 1,
  inputTokens: 10,
  cachedInputTokens: 1,
  cacheWriteTokens: 2,
  outputTokens: 5,
  reasoningTokens: 3,
  totalTokens: 15,
  costMicros: 7,
  unpriced: 0,
  ...more,
});

const reportOf = (group: ConstructorParameters<typeof UsageReport>[0], rows: readonly UsageDayRow[]): UsageReport => {
  const report = new UsageReport(group);
  for (const one of rows) report.add(one);
  return report;
};

it('sums up by group, dearest first, then by tokens, then by name', () => {
  const rows = [
    row({ agent: 'small' }),
    row({ agent: 'dear', costMicros: 100, unpriced: 1 }),
    row({ agent: 'small' }),
    row({ agent: 'also', costMicros: 14, totalTokens: 29 }),
    row({ agent: 'same', costMicros: 14, totalTokens: 29 }),
  ];
  const report = reportOf('agent', rows);
  expect(report.rows(10).map(({ name, costMicros }) => [name, costMicros])).toEqual([
    ['dear', 100],
    ['small', 14],
    ['also', 14],
    ['same', 14],
  ]);
  expect(report.total()).toEqual({
    name: '',
    requests: 5,
    inputTokens: 50,
    cachedInputTokens: 5,
    cacheWriteTokens: 10,
    outputTokens: 25,
    reasoningTokens: 15,
    totalTokens: 103,
    costMicros: 142,
    unpriced: 1,
  });
});

it('puts what is behind the limit into one row without a name', () => {
  const rows = ['a', 'b', 'c', 'd'].map((identity, index) => row({ identity, costMicros: 100 - index }));
  expect(reportOf('identity', rows).rows(2)).toMatchObject([{ name: 'a' }, { name: '', requests: 3 }]);
});

it.each([
  ['model', ['p/m/1']],
  ['namespace', ['default']],
  ['day', ['1970-01-01', '2026-11-27']],
] as const)('names its rows by %s', (group, names) => {
  const rows = [row({ day: 20_784, costMicros: 50 }), row({})];
  expect(
    reportOf(group, rows)
      .rows(5)
      .map(({ name }) => name),
  ).toEqual(names);
});
