import { describe, expect, it } from 'vitest';
import { yamlPlace } from './yaml-place.ts';

/** The place of the mark `|` in the text. */
const at = (marked: string): ReturnType<typeof yamlPlace> => yamlPlace(marked.replace('|', ''), marked.indexOf('|'));

describe('yamlPlace', () => {
  it('finds the keys around a key that is begun', () => {
    expect(at('kind: Agent\nspec:\n  runtime:\n    ac|\n    kind: acp\n')).toEqual({
      path: ['spec', 'runtime'],
      key: undefined,
      from: 33,
      to: 35,
      indent: 4,
      siblings: ['kind'],
    });
  });

  it('takes the depth of an empty line from the cursor', () => {
    expect(at('spec:\n  runtime:\n    kind: acp\n  |')).toMatchObject({ path: ['spec'], siblings: ['runtime'] });
    expect(at('spec:\n  runtime:\n    kind: acp\n    |')).toMatchObject({
      path: ['spec', 'runtime'],
      siblings: ['kind'],
    });
  });

  it('knows the value of a key', () => {
    expect(at('spec:\n  purpose: ART|')).toMatchObject({ path: ['spec'], key: 'purpose', from: 17, to: 20 });
    expect(at('kind: |')).toMatchObject({ path: [], key: 'kind', from: 6, to: 6 });
  });

  it.each(['spec:\n  features:\n    - name: a\n      ty|', 'spec:\n  features:\n  - name: a\n    ty|'])(
    'stays in the item of a list: %j',
    (text) => {
      expect(at(text)).toMatchObject({ path: ['spec', 'features'], siblings: ['name'] });
    },
  );

  it('begins an item', () => {
    expect(at('spec:\n  features:\n  - na|')).toMatchObject({ path: ['spec', 'features'], siblings: [] });
    expect(at('spec:\n  features:\n    - name: a\n    - na|')).toMatchObject({
      path: ['spec', 'features'],
      siblings: [],
    });
  });

  it('goes up from an item that is a map of maps', () => {
    expect(at('spec:\n  a:\n    profiles:\n      - name: x\n        model:\n          na|')).toMatchObject({
      path: ['spec', 'a', 'profiles', 'model'],
    });
  });

  it('says nothing in a comment', () => {
    expect(at('# ki|')).toBeUndefined();
  });
});
