import { describe, expect, it } from 'vitest';
import { checkPathNames } from './path-names.ts';

const faults = (...given: Parameters<typeof checkPathNames>): string[] =>
  checkPathNames(...given).map(({ field, reason }) => `${field} ${reason}`);

describe('names of a body', () => {
  it('need a form only at creation', () => {
    expect(faults(undefined, { ns: 'n' })).toEqual(['metadata.name NAME_INVALID']);
    expect(faults({ name: '..', namespace: '' }, { ns: 'n' })).toEqual(['metadata.name NAME_INVALID']);
    expect(faults({ name: 'a', namespace: '' }, { ns: 'n' })).toEqual([]);
    expect(faults(undefined, { ns: 'n', name: 'a' })).toEqual([]);
  });

  it('must agree with the path where they are said', () => {
    expect(faults({ name: 'a', namespace: 'n' }, { ns: 'n', name: 'a' })).toEqual([]);
    expect(faults({ name: '', namespace: '' }, { ns: 'n', name: 'a' })).toEqual([]);
    expect(faults({ name: 'b', namespace: 'm' }, { ns: 'n', name: 'a' })).toEqual([
      'metadata.name PATH_BODY_MISMATCH',
      'metadata.namespace PATH_BODY_MISMATCH',
    ]);
  });
});
