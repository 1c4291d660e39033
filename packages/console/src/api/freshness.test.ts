import { describe, expect, it } from 'vitest';
import { isConcerned, keyOf } from './freshness.ts';

describe('isConcerned', () => {
  it('takes a change of a resource by its kind, and everything else by its topic', () => {
    const shows = { kinds: ['Agent'], topics: ['turn'] };
    expect(isConcerned(shows, { topic: 'resource', kind: 'Agent' })).toBe(true);
    expect(isConcerned(shows, { topic: 'resource', kind: 'Channel' })).toBe(false);
    expect(isConcerned(shows, { topic: 'turn' })).toBe(true);
    expect(isConcerned(shows, { topic: 'run' })).toBe(false);
    expect(isConcerned({ topics: ['resource'] }, { topic: 'resource', kind: 'Agent' })).toBe(false);
    expect(isConcerned({}, { topic: 'resource' })).toBe(false);
  });
});

describe('keyOf', () => {
  it('tells requests apart that differ in a 64-bit integer or in bytes', () => {
    expect(keyOf(['A', { since: 1n }])).not.toBe(keyOf(['A', { since: 2n }]));
    expect(keyOf(['A', { since: 1n }])).not.toBe(keyOf(['A', { since: 1 }]));
    expect(keyOf([new Uint8Array([1])])).not.toBe(keyOf([new Uint8Array([2])]));
    expect(keyOf(['A', { ns: 'a', since: 5n }])).toBe(keyOf(['A', { ns: 'a', since: 5n }]));
  });
});
