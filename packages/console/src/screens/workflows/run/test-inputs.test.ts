import { describe, expect, it } from 'vitest';
import { testInputsOf, withTestInput } from './test-inputs.ts';

const KEY = 'console.svc/test-inputs';

describe('the test inputs of a workflow', () => {
  it('are kept by name, beside other annotations', () => {
    const one = withTestInput({ note: 'x' }, 'small order', { amount: 3 });
    expect(one).toEqual({ note: 'x', [KEY]: '{"small order":{"amount":3}}' });
    const two = withTestInput(one, 'a large one', { amount: 900 });
    expect([...testInputsOf(two)]).toEqual([
      ['a large one', { amount: 900 }],
      ['small order', { amount: 3 }],
    ]);
    expect(testInputsOf(withTestInput(two, 'small order', [1])).get('small order')).toEqual([1]);
  });

  it('go one by one, the annotation with the last', () => {
    const two = withTestInput(withTestInput({ note: 'x' }, 'a', 1), 'b', 2);
    const one = withTestInput(two, 'a', undefined);
    expect([...testInputsOf(one).keys()]).toEqual(['b']);
    expect(withTestInput(one, 'b', undefined)).toEqual({ note: 'x' });
  });

  it.each(['', 'no JSON', '[1]', 'null', '7'])('are none where the annotation is %j', (text) => {
    expect(testInputsOf({ [KEY]: text }).size).toBe(0);
    expect(testInputsOf({}).size).toBe(0);
  });
});
