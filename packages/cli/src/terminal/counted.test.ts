import { expect, it } from 'vitest';
import { counted } from './index.ts';

it('counts one thing as one', () => {
  expect([0, 1, 2].map((count) => counted(count, 'file'))).toEqual(['0 files', '1 file', '2 files']);
  expect([1, 5].map((count) => counted(count, 'reply is', 'replies are'))).toEqual(['1 reply is', '5 replies are']);
});
