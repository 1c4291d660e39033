import { expect, it } from 'vitest';
import { withoutHalfCharacters } from './half-characters.ts';

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
