import { expect, it } from 'vitest';
import { createdAt } from './created-at.ts';

it('reads the time of a uid', () => {
  expect(createdAt('01a22339-7d9a-705d-9d62-654f0b061220')).toBe(1_795_887_299_994_000n);
  expect(createdAt('')).toBeUndefined();
  expect(createdAt(undefined)).toBeUndefined();
});
