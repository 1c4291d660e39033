import { expect, it } from 'vitest';
import { isLongerThan, shortestFloat, withoutHalfCharacters } from './written-values.ts';

it.each([
  ['nothing', 'nothing'],
  ['a\ud83db', 'a\ufffdb'],
  ['\ude00\ud83d', '\ufffd\ufffd'],
  ['whole \ud83d\ude00 and half \ude00', 'whole \ud83d\ude00 and half \ufffd'],
  ['a backslash \\\ud83d', 'a backslash \\\ufffd'],
  ['the text \\ud83d', 'the text \\ud83d'],
  ['"\\\\"\udfff', '"\\\\"\ufffd'],
  ['{"json":"\\ud83d"}', '{"json":"\\ud83d"}'],
])('half characters of JSON are replaced, whatever stands around them: %j', (text, expected) => {
  for (const value of [text, { [text]: [text] }])
    expect(JSON.parse(withoutHalfCharacters(JSON.stringify(value)))).toEqual(
      typeof value === 'string' ? expected : { [expected]: [expected] },
    );
});

it.each([
  ['', 0, false],
  ['abc', 3, false],
  ['abcd', 3, true],
  ['\u{1f642}\u{1f642}\u{1f642}', 3, false],
  ['\u{1f642}\u{1f642}\u{1f642}\u{1f642}', 3, true],
  ['\u{1f642}\u{1f642}ab', 3, true],
  ['a\u{1f642}', 2, false],
  ['abcdefg', 3, true],
])('%j has more than %d characters: %s', (text, max, expected) => {
  expect(isLongerThan(text, max)).toBe(expected);
});

it.each([
  [Math.fround(0.7), 0.7],
  [0.7, 0.7],
  [0.123456789, 0.12345679],
  [2, 2],
  [-0.1, -0.1],
  [1e-45, 1.4013e-45],
  [3.4028234663852886e38, 3.4028234663852886e38],
  [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
])('the float %d is written as %d', (value, expected) => {
  expect(shortestFloat(value)).toBe(expected);
});

it('a float that is written is read as the same float', () => {
  const floats = new Float32Array(1);
  const bits = new Uint32Array(floats.buffer);
  for (let index = 0; index < 20_000; index++) {
    bits[0] = Math.imul(index, 0x9e3779b1) >>> 0;
    const [single = 0] = floats;
    expect(Object.is(Math.fround(shortestFloat(single)), single)).toBe(true);
  }
});
