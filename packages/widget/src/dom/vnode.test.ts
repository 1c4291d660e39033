import { expect, it } from 'vitest';
import { h, isMemo, memo, textOf, withHooks } from './vnode.ts';

it('describes an element without the children that are left out', () => {
  expect(h('p', { key: 'a', class: 'x' }, ['one', false, undefined, h('b', {}, ['two'])])).toEqual({
    tag: 'p',
    key: 'a',
    attributes: { class: 'x' },
    hooks: {},
    children: ['one', { tag: 'b', key: undefined, attributes: {}, hooks: {}, children: ['two'] }],
  });
});

it('reads the text of what is described, now or later', () => {
  const later = memo('m', [1], () => h('i', {}, ['three']));
  expect([isMemo(later), isMemo('text'), isMemo(h('p'))]).toEqual([true, false, false]);
  expect(textOf(withHooks(h('p', {}, ['one ', h('b', {}, ['two ']), later]), { on: {} }))).toBe('one two three');
});
