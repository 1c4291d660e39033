import { expect, it } from 'vitest';
import { namesTag } from './entity-tag.ts';

it.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b", "a"', true],
  ['*', true],
  ['"b"', false],
  ['a', false],
  ['', false],
  [undefined, false],
])('If-None-Match %s names "a": %s', (header, isNamed) => {
  expect(namesTag(header, '"a"')).toBe(isNamed);
});
