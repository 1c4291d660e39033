import { expect, it } from 'vitest';
import { durationText, millisOf, relativeTime, sizeText } from './time-texts.ts';

it('says how long ago or until something is', () => {
  const now = 1_000_000_000_000;
  const at = (seconds: number): string => relativeTime(now + seconds * 1_000, now);
  expect([at(-3), at(-30), at(-150), at(-7_300), at(-86_400), at(-100 * 86_400), at(5_400), at(3 * 86_400)]).toEqual([
    'now',
    '30 sec. ago',
    '2 min. ago',
    '2 hr. ago',
    'yesterday',
    '3 mo. ago',
    'in 1 hr.',
    'in 3 days',
  ]);
});

it('says how long something took', () => {
  expect([0, 850.4, 4_240, 185_000, 7_440_000].map(durationText)).toEqual([
    '0 ms',
    '850 ms',
    '4.2 s',
    '3 min 5 s',
    '2 h 4 min',
  ]);
});

it('says how large something is', () => {
  expect([0, 512, 1_024, 3_500, 12 * 1_048_576, 5 * 1_024 ** 4].map(sizeText)).toEqual([
    '0 B',
    '512 B',
    '1.0 KiB',
    '3.4 KiB',
    '12 MiB',
    '5.0 TiB',
  ]);
});

it('takes microseconds', () => {
  expect(millisOf(1_234_567n)).toBe(1_234);
});
