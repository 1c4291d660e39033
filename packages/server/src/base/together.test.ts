import { expect, it } from 'vitest';
import { together } from './together.ts';

it('answers in order', async () => {
  const late = Promise.withResolvers<string>();
  const both = together(late.promise, Promise.resolve(2));
  late.resolve('one');
  expect(await both).toEqual(['one', 2]);
});

it('rejects with the first failure in order once everything is over', async () => {
  const late = Promise.withResolvers<void>();
  let isOver = false;
  const slow = late.promise.then(() => {
    isOver = true;
  });
  const all = together(slow, Promise.reject(new Error('second')), Promise.reject(new Error('third')));
  late.resolve();
  await expect(all).rejects.toThrow('second');
  expect(isOver).toBe(true);
});
