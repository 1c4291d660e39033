import { expect, it } from 'vitest';
import { shortNumber } from './chart-data.ts';

it('shortens the numbers of an axis', () => {
  expect([0, 0.256, 12, 950, 1_000, 1_249, 35_400, 2_000_000, 7_100_000_000, -1_500].map(shortNumber)).toEqual([
    '0',
    '0.26',
    '12',
    '950',
    '1k',
    '1.2k',
    '35k',
    '2M',
    '7.1G',
    '-1.5k',
  ]);
});
