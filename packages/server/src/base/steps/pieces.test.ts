import { expect, it } from 'vitest';
import { joining, piecesOf } from './pieces.ts';
import { atOnce } from './steps.ts';

it('bytes are cut into pieces of a size, the last one shorter', () => {
  const pieces = [...piecesOf(Uint8Array.of(1, 2, 3, 4, 5), 2)];
  expect(pieces.map((piece) => [...piece])).toEqual([[1, 2], [3, 4], [5]]);
  expect([...piecesOf(new Uint8Array(), 2)]).toEqual([]);
});

it('pieces of megabytes are joined in steps', () => {
  const pieces = [1, 2, 3, 4].map((each) => Buffer.alloc(300 * 1024 * each, each));
  const whole = Buffer.concat(pieces);
  expect(atOnce(joining(pieces)).equals(whole)).toBe(true);
  expect([...joining(pieces)].length).toBeGreaterThan(2);
  expect(atOnce(joining([Buffer.from('a'), Buffer.from('bc')])).toString()).toBe('abc');
});
