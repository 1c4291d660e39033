import { expect, it } from 'vitest';
import { type OutputForm, printValue } from './output.ts';
import { fakeHost } from './testing/fake-host.ts';

const value = { text: 'a\u001b[31m\u009b1m\u007f\u0007', many: 'first\nsecond\u009b2J\n' };
const printed = async (form: OutputForm, isTerminal: boolean): Promise<string> => {
  const fake = fakeHost({ isTerminal });
  await printValue(fake.host, value, form);
  return fake.out();
};
const isControl = /(?![\n\t])\p{Cc}/u;

it.each([{ form: 'json' }, { form: 'jsonl' }, { form: 'yaml' }, { form: 'jsonpath', path: '.text' }] as const)(
  'shows control characters of values at a terminal instead of obeying them: $form',
  async (form) => {
    expect(await printed(form, true)).not.toMatch(isControl);
    expect(await printed(form, false)).toMatch(isControl);
  },
);

it('prints JSON at a terminal that means the same, and jsonpath into a pipe as it is', async () => {
  expect(JSON.parse(await printed({ form: 'json' }, true))).toEqual(value);
  expect(await printed({ form: 'jsonpath', path: '.text' }, false)).toBe('a\u001b[31m\u009b1m\u007f\u0007\n');
  expect(await printed({ form: 'jsonpath', path: '.text' }, true)).toBe('a^[[31m\ufffd1m\ufffd^G\n');
});
