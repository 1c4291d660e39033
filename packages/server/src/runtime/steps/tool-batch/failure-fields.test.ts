import { expect, test } from 'vitest';
import { Fault } from '../../../base/index.ts';
import { failureFields } from './failure-fields.ts';

test('a failed tool is logged with the reason of its fault', () => {
  const fault = new Fault('UNAVAILABLE', 'UPSTREAM', 'the weather of Bonn is not known');
  expect(failureFields(fault)).toEqual({ code: 'UNAVAILABLE', reason: 'UPSTREAM' });
});

test('a tool that threw something else is logged with its kind and place, without its text', () => {
  const thrown = Object.assign(new TypeError('secret text'), { code: 'ENOENT' });
  expect(failureFields(thrown)).toEqual({
    code: 'ENOENT',
    reason: 'TypeError',
    at: expect.stringMatching(/^failure-fields\.test\.ts:\d+:\d+$/),
  });
  expect(failureFields('secret text')).toEqual({ reason: 'threw a value of type string' });
});
