import { describe, expect, it } from 'vitest';
import { Catalogue, type CatalogueEntry } from './catalogue/index.ts';
import { budgetOfEffort, effortOfBudget, effortOrDefault, planThinking, supportedEffort } from './thinking-rules.ts';

const facts = (more: Partial<CatalogueEntry>): CatalogueEntry => ({
  ...new Catalogue({ catalog: {}, defaultWindow: 1, prices: {}, providers: {} }).entry({ provider: 'x', model: 'y' }),
  ...more,
});

describe('thinking rules (RT-4.2)', () => {
  it.each([
    ['high', ['low', 'high'], 'high'],
    ['max', ['low', 'medium'], 'medium'],
    ['minimal', ['none', 'low', 'high'], 'low'],
    ['medium', ['none', 'minimal', 'high'], 'minimal'],
    ['none', ['low', 'high'], 'low'],
    ['low', [], undefined],
    ['strange', ['low'], undefined],
  ])('turns effort %s of a model with %j into %s', (effort, supported, expected) => {
    expect(supportedEffort(effort, supported)).toBe(expected);
  });

  it.each([
    ['none', 0],
    ['minimal', 1024],
    ['low', 4096],
    ['medium', 10_240],
    ['high', 24_576],
    ['xhigh', 32_000],
    ['max', 32_000],
  ])('gives effort %s a budget of %i', (effort, budget) => {
    expect(budgetOfEffort(effort, 32_000)).toBe(budget);
  });

  it('never exceeds the largest budget of the model', () => {
    expect(budgetOfEffort('high', 8000)).toBe(8000);
  });

  it.each([
    [500, 'minimal'],
    [4095, 'minimal'],
    [4096, 'low'],
    [20_000, 'medium'],
    [24_576, 'high'],
    [32_000, 'xhigh'],
  ])('gives a budget of %i the nearest lower effort %s', (budget, effort) => {
    expect(effortOfBudget(budget, 32_000)).toBe(effort);
  });

  it('calls no budget of a small model more than high', () => {
    expect(effortOfBudget(24_576, 24_576)).toBe('high');
  });

  it('sends nothing when nothing is set', () => {
    expect(planThinking(undefined, facts({}))).toEqual({ kind: 'unset' });
    expect(planThinking({}, facts({}))).toEqual({ kind: 'unset' });
  });

  it.each([
    [{ enabled: false, effort: 'high' }, {}],
    [{ effort: 'none' }, {}],
    [{ enabled: true, budgetTokens: 0 }, { thinking: 'budget' as const }],
  ])('is off for %j', (thinking, more) => {
    expect(planThinking(thinking, facts(more))).toEqual({ kind: 'off' });
  });

  it('lets the native one of effort and budget win', () => {
    const both = { effort: 'low', budgetTokens: 20_000 };
    expect(planThinking(both, facts({ thinking: 'budget', largestBudget: 32_000 }))).toMatchObject({
      budgetTokens: 20_000,
    });
    expect(planThinking(both, facts({ thinking: 'effort' }))).toMatchObject({ effort: 'low' });
  });

  it('keeps an effort that nobody knows, and needs one for models that take no other word', () => {
    expect(planThinking({ effort: 'ultra' }, facts({}))).toMatchObject({ effort: 'ultra' });
    expect(effortOrDefault(undefined, facts({ efforts: ['low', 'high'] }))).toBe('low');
    expect(effortOrDefault(undefined, facts({ efforts: [] }))).toBe('medium');
    expect(effortOrDefault('high', facts({}))).toBe('high');
  });
});
