import { expect, it } from 'vitest';
import { fitting, partTypeOf, sizeText } from './attachment.ts';

const MB = 1024 * 1024;

it('takes the files that fit a message together, and says what keeps others out', () => {
  const small = { size: MB };
  const large = { size: 4.5 * MB };
  expect(fitting([], [small, large])).toEqual({ accepted: [small], refused: 'size' });
  expect(fitting([small], [large, small])).toEqual({ accepted: [small], refused: 'size' });
  expect(fitting([], [{ size: 5 * MB }])).toEqual({ accepted: [{ size: 5 * MB }], refused: undefined });
  const many = Array.from({ length: 11 }, () => ({ size: 1 }));
  expect([fitting([], many).accepted.length, fitting([], many).refused]).toEqual([10, 'count']);
});

it.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_400, '1.4 kB'],
  [23_400_000, '23 MB'],
  [5_000_000_000_000, '5000 GB'],
])('words %d bytes as %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});

it('sends files as the parts that they are', () => {
  expect(['image/png', 'audio/ogg', 'video/mp4', 'text/plain', ''].map(partTypeOf)).toEqual([
    'IMAGE',
    'AUDIO',
    'VIDEO',
    'FILE',
    'FILE',
  ]);
});
