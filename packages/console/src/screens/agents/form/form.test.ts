import { describe, expect, it } from 'vitest';
import { capabilitiesOf, grantsOf } from './capabilities.ts';
import { valueIn, withValue } from './spec-text.ts';

const text =
  '# mine\nkind: Agent\nspec:\n  systemPrompt: Hello. # short\n  modelPolicy:\n    profiles:\n      - name: default\n';

describe('withValue', () => {
  it('changes one value and nothing else', () => {
    expect(withValue(text, ['spec', 'systemPrompt'], 'Bye.')).toBe(text.replace('Hello.', 'Bye.'));
  });

  it('makes what is missing on the way', () => {
    expect(withValue('kind: Agent\n', ['spec', 'features', 0, 'name'], 'goals')).toBe(
      'kind: Agent\nspec:\n  features:\n    - name: goals\n',
    );
  });

  it('removes a value and what it leaves empty', () => {
    expect(withValue(text, ['spec', 'modelPolicy', 'profiles'], [])).toBe(
      '# mine\nkind: Agent\nspec:\n  systemPrompt: Hello. # short\n',
    );
    expect(withValue('spec:\n  a: 1\n', ['spec', 'a'], undefined)).toBe('spec: {}\n');
  });

  it('leaves a text that it cannot read', () => {
    expect(withValue('a: [', ['a'], 1)).toBe('a: [');
  });
});

describe('valueIn', () => {
  it('reads values and lists', () => {
    expect(valueIn(text, ['spec', 'systemPrompt'])).toBe('Hello.');
    expect(valueIn(text, ['spec', 'modelPolicy', 'profiles'])).toEqual([{ name: 'default' }]);
    expect(valueIn(text, ['spec', 'missing', 'deep'])).toBeUndefined();
    expect(valueIn('a: [', ['a'])).toBeUndefined();
  });
});

describe('grants', () => {
  const capabilities = {
    goals: ['inspect', { action: 'create', approval: 'ask' }],
    sessions: [{ action: '*', namespaces: ['.', '.:*'] }],
  };

  it('come from strings and objects and go back', () => {
    const grants = grantsOf(capabilities);
    expect(grants).toEqual([
      { capability: 'goals', action: 'inspect', approval: 'allow', namespaces: [] },
      { capability: 'goals', action: 'create', approval: 'ask', namespaces: [] },
      { capability: 'sessions', action: '*', approval: 'allow', namespaces: ['.', '.:*'] },
    ]);
    expect(capabilitiesOf(grants)).toEqual(capabilities);
  });

  it('leave out what means nothing', () => {
    expect(grantsOf({ goals: [1, { approval: 'ask' }], other: 'x' })).toEqual([]);
    expect(grantsOf(undefined)).toEqual([]);
  });
});
