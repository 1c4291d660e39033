import { describe, expect, it } from 'vitest';
import { isSecretReference, parseSecretReference } from './secret-references.ts';

describe('a reference to a secret', () => {
  it.each<readonly [string, unknown]>([
    ['secret://a/b', { name: 'a', key: 'b' }],
    ['a/b', { name: 'a', key: 'b' }],
    ['secret://a', undefined],
    ['secret:///b', undefined],
    ['a/b/c', undefined],
  ])('is meant by %s: %j', (reference, expected) => {
    expect(parseSecretReference(reference)).toEqual(expected);
  });

  it('is known by how it begins', () => {
    expect(['secret://a/b', 'secret://', 'a/b', ' secret://a/b', ''].map(isSecretReference)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
