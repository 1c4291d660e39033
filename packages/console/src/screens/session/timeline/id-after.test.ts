import { expect, it } from 'vitest';
import { idAfter } from './id-after.ts';

it('finds the id behind another', () => {
  expect(idAfter('01a22349-23ed-7077-b742-b6edab030ab7')).toBe('01a22349-23ed-7077-b742-b6edab030ab8');
  expect(idAfter('01a22349-23ed-7077-b742-ffffffffffff')).toBe('01a22349-23ed-7077-b743-000000000000');
  expect(idAfter('m1')).toBe('m1');
});
