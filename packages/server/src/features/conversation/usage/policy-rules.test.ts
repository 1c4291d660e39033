import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { UsagePolicySpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { canonicalSubject, checkUsagePolicy, METRICS, windowSeconds } from './policy-rules.ts';

const faults = (
  init: MessageInitShape<typeof UsagePolicySpecSchema>,
  annotations: Readonly<Record<string, string>> = {},
): string[] => checkUsagePolicy(create(UsagePolicySpecSchema, init), annotations).map((fault) => fault.field);

describe('a usage policy', () => {
  it('may limit every metric in every scope', () => {
    const hard = METRICS.map((metric) => ({ metric, window: '5h', max: 1n, subjectScope: 'subject' }));
    for (const namespaceScope of ['', 'recursive', 'self']) expect(faults({ namespaceScope, hard })).toEqual([]);
  });

  it('fails or asks where a limit is used up, and nothing else', () => {
    for (const said of ['fail', 'ask']) expect(faults({}, { 'option.svc/on-exceeded': said })).toEqual([]);
    expect(faults({}, { 'option.svc/on-exceeded': 'beg' })).toEqual(['metadata.annotations[option.svc/on-exceeded]']);
  });

  it('names every fault at once', () => {
    const hard = [
      { metric: 'llm.words', window: '1w', subjectScope: 'toString' },
      { metric: 'tool.calls', window: '1m' },
    ];
    expect(faults({ namespaceScope: 'global', hard })).toEqual([
      'spec.namespaceScope',
      'spec.hard[0].metric',
      'spec.hard[0].window',
      'spec.hard[0].subjectScope',
    ]);
    const many = Array.from({ length: 101 }, () => ({ metric: 'tool.calls', window: '1m' }));
    expect(faults({ hard: many })).toEqual(['spec.hard']);
  });

  it('reads windows and subjects', () => {
    expect(['60s', '1m', '5h', '7d', '0s', '01m', '1.5h', 'm', '4000d'].map(windowSeconds)).toEqual([
      60,
      60,
      18_000,
      604_800,
      ...Array.from({ length: 5 }, () => undefined),
    ]);
    expect(['', 'all', 'identity', 'subject', 'x'].map(canonicalSubject)).toEqual([
      'all',
      'all',
      'identity',
      'identity',
      undefined,
    ]);
  });
});
