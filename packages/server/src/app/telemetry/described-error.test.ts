import { expect, it } from 'vitest';
import { describeError } from './described-error.ts';

it('tells kind, text, code, frames and causes of an error', () => {
  const error = Object.assign(new TypeError('no way', { cause: new Error('deeper') }), { code: 'E_X' });
  expect(describeError(error)).toMatchObject({
    type: 'TypeError',
    message: 'no way',
    code: 'E_X',
    cause: { type: 'Error', message: 'deeper' },
  });
  expect(describeError(error).stack).toMatch(/^ {4}at /);
});

it('leaves out what libraries hang on errors, and what parsers quote (R73)', () => {
  const rich = Object.assign(new Error('call failed'), { headers: { authorization: 'secret' }, requestBody: 'secret' });
  expect(JSON.stringify(describeError(rich))).not.toContain('secret');
  const parsed = (() => {
    try {
      return JSON.parse('secret "text" here');
    } catch (error) {
      return error;
    }
  })();
  expect(describeError(parsed)).toMatchObject({
    type: 'SyntaxError',
    message: expect.stringContaining('is not valid JSON'),
  });
  expect(JSON.stringify(describeError(parsed))).not.toMatch(/secret|text/);
});

it('cuts long texts and endless chains, and says little of what is no error', () => {
  const ring = new Error('x'.repeat(1000));
  ring.cause = ring;
  const described = describeError(ring);
  expect(described.message).toHaveLength(500);
  expect(described.cause?.cause?.cause?.cause).toBeUndefined();
  expect(JSON.stringify(describeError('secret'))).not.toContain('secret');
});
