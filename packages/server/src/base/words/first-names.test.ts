import { expect, it } from 'vitest';
import { firstNames } from './first-names.ts';

it.each([
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a, b, c'],
  [['a', 'b', 'c', 'd', 'e'], 'a, b, c and 2 more'],
])('names the first of %j', (names, text) => {
  expect(firstNames(names)).toBe(text);
});
