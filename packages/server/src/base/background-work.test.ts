import { expect, it } from 'vitest';
import { BackgroundWork } from './background-work.ts';

const world = (max = 2) => {
  const failures: string[] = [];
  const work = new BackgroundWork({ max, failed: (error, key) => failures.push(`${key}: ${String(error)}`) });
  const ends = new Map<string, () => void>();
  const begin = (key: string) =>
    work.start(key, ({ signal }) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      ends.set(key, resolve);
      signal.addEventListener('abort', () => reject(signal.reason));
      return promise;
    });
  return { work, failures, ends, begin };
};

it('begins so many works at a time, each key once', async () => {
  const { work, ends, begin } = world();
  expect([begin('a'), begin('a'), begin('b'), begin('c')]).toEqual([true, true, true, false]);
  expect([work.has('a'), work.has('c'), work.isFull, work.isClosed]).toEqual([true, false, true, false]);
  for (const end of ends.values()) end();
  await work.settled();
  expect([work.has('a'), work.isFull, begin('c')]).toEqual([false, false, true]);
});

it('reports what fails, and ends the work of one key', async () => {
  const { work, failures, begin } = world();
  begin('a');
  work.end('a');
  work.end('none');
  await work.settled();
  expect(failures).toEqual([expect.stringMatching(/^a: AbortError/)]);
});

it('ends everything when it closes, and begins nothing more', async () => {
  const { work, failures, begin } = world();
  begin('a');
  begin('b');
  await work.close();
  expect(failures).toEqual(['a: Error: the process ends', 'b: Error: the process ends']);
  expect([begin('c'), work.isClosed, work.isFull]).toEqual([false, true, true]);
});
