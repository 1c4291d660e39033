import { expect, it } from 'vitest';
import { isLongerThan, withoutHalfCharacters } from './characters.ts';

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
