import { expect, it } from 'vitest';
import { allPages } from './all-pages.ts';

it('asks for each page by the token of the one before, until there is none', async () => {
  const asked: string[] = [];
  const pages = await allPages(async (pageToken) => {
    asked.push(pageToken);
    return { item: asked.length, nextPageToken: ['two', 'three', ''][asked.length - 1] ?? '' };
  });
  expect(asked).toEqual(['', 'two', 'three']);
  expect(pages.map(({ item }) => item)).toEqual([1, 2, 3]);
});

it('ends with the failure of a page', async () => {
  const failed = new Error('away');
  await expect(allPages(() => Promise.reject(failed))).rejects.toBe(failed);
});
