import { expect, it } from 'vitest';
import { hideSecrets } from './secret-values.ts';

it('secret values of both sides are told apart and never shown', () => {
  const [live, next] = hideSecrets(
    'Secret',
    { spec: { data: { same: 'a', other: 'b' } } },
    { spec: { data: { same: 'a', other: 'c', added: 'd' } } },
  );
  expect(live).toEqual({ spec: { data: { same: '(equal)', other: '(live)' } } });
  expect(next).toEqual({ spec: { data: { same: '(equal)', other: '(changed)', added: '(changed)' } } });
});

it('nothing of a custom kind is hidden, whatever its name', () => {
  expect(hideSecrets('constructor', { spec: { a: 1 } }, { spec: { a: 2 } })).toEqual([
    { spec: { a: 1 } },
    { spec: { a: 2 } },
  ]);
});
