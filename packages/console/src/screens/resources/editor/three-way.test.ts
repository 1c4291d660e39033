import { describe, expect, it } from 'vitest';
import { changesOf, mergedOf } from './three-way.ts';

const base = { metadata: { labels: { 'a.b/c': '1' } }, spec: { prompt: 'old', steps: [1, 2], model: { name: 'x' } } };
const mine = { metadata: { labels: { 'a.b/c': '2' } }, spec: { prompt: 'mine', steps: [1, 2] } };
const theirs = {
  metadata: { labels: { 'a.b/c': '1' } },
  spec: { prompt: 'theirs', steps: [1], model: { name: 'x' }, extra: true },
};

describe('changesOf', () => {
  it('names each change and who made it', () => {
    expect(changesOf({ base, mine, theirs })).toEqual([
      { path: 'metadata.labels[a.b/c]', mine: '2', theirs: '1', by: 'me' },
      { path: 'spec.prompt', mine: 'mine', theirs: 'theirs', by: 'both' },
      { path: 'spec.steps', mine: [1, 2], theirs: [1], by: 'them' },
      { path: 'spec.model', mine: undefined, theirs: { name: 'x' }, by: 'me' },
      { path: 'spec.extra', mine: undefined, theirs: true, by: 'them' },
    ]);
  });

  it('finds nothing where both changed the same', () => {
    expect(changesOf({ base, mine: theirs, theirs })).toEqual([]);
  });
});

describe('mergedOf', () => {
  it('puts my changes on theirs', () => {
    expect(mergedOf({ base, mine, theirs }, () => true)).toEqual({
      metadata: { labels: { 'a.b/c': '2' } },
      spec: { prompt: 'mine', steps: [1], extra: true },
    });
  });

  it('leaves theirs where both changed it and mine is not wanted', () => {
    expect(mergedOf({ base, mine, theirs }, (path) => path !== 'spec.prompt')).toMatchObject({
      metadata: { labels: { 'a.b/c': '2' } },
      spec: { prompt: 'theirs' },
    });
  });

  it('makes the maps that a change of mine needs', () => {
    expect(mergedOf({ base: {}, mine: { a: { b: 1 } }, theirs: {} }, () => true)).toEqual({ a: { b: 1 } });
  });
});
