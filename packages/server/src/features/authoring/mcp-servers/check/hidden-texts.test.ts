import { expect, it } from 'vitest';
import { withoutValues } from './hidden-texts.ts';

it('replaces values, their words and what they are in JSON, but no short word', () => {
  const safe = withoutValues(['Bearer abcdefgh', 'quo"ted-value', 'on']);
  expect(safe('on Bearer abcdefgh and abcdefgh')).toBe('on *** and ***');
  expect(safe(JSON.stringify({ d: 'quo"ted-value' }))).toBe('{"d":"***"}');
});

it('replaces the longer of two values that contain each other', () => {
  expect(withoutValues(['password', 'password-two'])('password-two password')).toBe('*** ***');
});
