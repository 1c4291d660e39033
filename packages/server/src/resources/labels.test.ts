import { describe, expect, it } from 'vitest';
import {
  checkAnnotations,
  checkLabels,
  checkSystemKeys,
  keepSystemKeys,
  refusal,
  sameMap,
  sortKeys,
  withoutPrivate,
} from './labels.ts';
import { matchesLabels, parseLabelSelector } from './selectors.ts';

describe('labels', () => {
  it.each([
    [{ a: 'b', 'x.y/z_1-2': '' }, 0],
    [{ '': 'x' }, 1],
    [{ '/a': 'x' }, 1],
    [{ 'a b': 'x' }, 1],
    [{ ['k'.repeat(318)]: 'x' }, 1],
    [{ ['k'.repeat(317)]: 'x'.repeat(1024) }, 0],
    [{ a: 'x'.repeat(1025) }, 1],
    [{ a: '\u{1f642}'.repeat(1024) }, 0],
    [{ a: '\u{1f642}'.repeat(1025) }, 1],
    [{ a: 'line\nbreak' }, 1],
    [{ a: 'half \ud83d' }, 1],
    [Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`k${index}`, ''])), 1],
  ] as const)('%o have %d faults', (labels, count) => {
    expect(checkLabels(labels as Record<string, string>, 'labels')).toHaveLength(count);
  });

  it('of annotations are limited in bytes and known options', () => {
    expect(checkAnnotations({ a: 'ä'.repeat(131_072) }, 'annotations')).toHaveLength(1);
    expect(checkAnnotations({ a: 'half \udc00' }, 'annotations')).toHaveLength(1);
    expect(checkAnnotations({ 'option.svc/keep': 'true', a: 'x' }, 'annotations')).toEqual([]);
    expect(checkAnnotations({ 'option.svc/kept': 'true', '~': '' }, 'annotations').map(({ reason }) => reason)).toEqual(
      ['OPTION_UNKNOWN', 'FIELD_INVALID'],
    );
  });

  it.each([
    'activities',
    'catch-up',
    'channel-state',
    'inheritable',
    'keep',
    'overlap',
    'reregister',
    'workflow-capabilities',
  ])('of the contract may be chosen as option.svc/%s', (option) => {
    expect(checkAnnotations({ [`option.svc/${option}`]: 'x' }, 'annotations')).toEqual([]);
  });

  it('of the system stay as they are', () => {
    const current = { 'svc/a': '1', 'svc/~private': 'x', own: 'y' };
    expect(checkSystemKeys(current, { 'svc/a': '1', other: 'z' }, 'labels')).toEqual([]);
    expect(checkSystemKeys(current, { 'svc/a': '2', 'svc/b': '1' }, 'labels')).toHaveLength(2);
    expect(Object.entries(keepSystemKeys(current, { other: 'z' }))).toEqual([
      ['other', 'z'],
      ['svc/a', '1'],
      ['svc/~private', 'x'],
    ]);
    expect(withoutPrivate(current)).toEqual({ 'svc/a': '1', own: 'y' });
  });

  it('are compared and sorted by key', () => {
    expect(sameMap({ a: '1', b: '2' }, { b: '2', a: '1' })).toBe(true);
    expect(sameMap({ a: '1' }, { a: '1', b: '2' })).toBe(false);
    expect(sameMap({ a: '1' }, { a: '2' })).toBe(false);
    expect(Object.keys(sortKeys({ b: '', a: '', c: '' }))).toEqual(['a', 'b', 'c']);
  });
});

describe('a refusal', () => {
  const violation = (reason: string) => ({ field: 'f', description: 'd', reason });

  it('has a reason of its own only where all violations share one of the table', () => {
    expect(refusal([violation('SYSTEM_LABEL'), violation('SYSTEM_LABEL')]).reason).toBe('SYSTEM_LABEL');
    expect(refusal([violation('SYSTEM_LABEL'), violation('OTHER')]).reason).toBe('FIELD_INVALID');
    expect(refusal([violation('OTHER')]).reason).toBe('FIELD_INVALID');
    expect(refusal([]).reason).toBe('FIELD_INVALID');
  });
});

describe('label selectors', () => {
  const labels = { tier: 'gold', zone: 'a', empty: '' };

  it.each([
    ['', true],
    ['  ', true],
    ['tier=gold', true],
    ['tier==gold', true],
    ['tier = gold', true],
    ['tier=tin', false],
    ['tier!=gold', false],
    ['none!=gold', true],
    ['tier in (tin, gold)', true],
    ['tier in (tin)', false],
    ['tier notin (tin)', true],
    ['none notin (x)', true],
    ['none in (x)', false],
    ['zone', true],
    ['!zone', false],
    ['! none', true],
    ['none', false],
    ['empty=', true],
    ['tier=gold,zone in (a,b),!none', true],
    ['tier=gold,zone in (b)', false],
    ['constructor', false],
  ])('%j: %s', (selector, expected) => {
    expect(matchesLabels(labels, parseLabelSelector(selector))).toBe(expected);
  });

  it.each(['=x', 'a in b', 'a b', ',', 'a=b,', 'svc/~x', 'a in (b', Array.from({ length: 65 }, () => 'a').join(',')])(
    'refuses %j',
    (selector) => {
      expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    },
  );

  it('refuses what is full of spaces as soon as anything else', () => {
    const spaces = ' '.repeat(1_000_000);
    for (const selector of [`a=${spaces}(`, `a${spaces}(`, `a in${spaces}(`, `!${spaces}(`])
      expect(() => parseLabelSelector(selector)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
    expect(parseLabelSelector(`a =${spaces}b`)).toEqual([{ op: 'in', key: 'a', values: ['b'] }]);
  });
});
