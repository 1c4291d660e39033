import { ResourceSpecSchema } from '@svc/api/resources';
import { describe, expect, it } from 'vitest';
import { KIND_NAMES } from './kind-names.ts';
import { kinds } from './kinds/index.ts';

describe('names of kinds', () => {
  it('are those of every kind that the contract knows', () => {
    const known = ResourceSpecSchema.fields
      .map(({ localName }) => `${localName.slice(0, 1).toUpperCase()}${localName.slice(1)}`)
      .filter((name) => name !== 'Raw');
    expect(KIND_NAMES.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
  });

  it('are those that commands know, each word for one of them', () => {
    expect(kinds.map(({ name }) => name).toSorted()).toEqual(KIND_NAMES.map(({ name }) => name).toSorted());
    const words = KIND_NAMES.flatMap(({ name, plural, short = [] }) => [name.toLowerCase(), plural, short].flat());
    expect(new Set(words).size).toBe(words.length);
  });
});
