import { expect, it } from 'vitest';
import { recordKey } from '../../resources/index.ts';
import { everyResource, resourcePages } from './resource-pages.ts';
import type { ResourceQuery, StoredResource } from './resource-store.ts';

const all = { kind: 'Skill', scope: { type: 'all' } } as const;

/** Answers lists from records with the given names, and notes where each list began. */
const readsOf = (names: readonly string[]) => {
  const records = names.map((name) => ({ key: recordKey('Skill', 'default', name) }) as StoredResource);
  const starts: (string | undefined)[] = [];
  return {
    starts,
    list: async ({ after, limit }: ResourceQuery) => {
      starts.push(after?.name);
      return records.filter(({ key }) => key.name > (after?.name ?? '')).slice(0, limit);
    },
  };
};
const named = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));

it.each([0, 1, 499, 500, 501, 1_000])('finds each of %i resources once, in order', async (count) => {
  const found = await everyResource(readsOf(named(count)), all);
  expect(found.map(({ key }) => key.name)).toEqual(named(count));
});

it('reads a page only when it is asked for', async () => {
  const reads = readsOf(named(1_200));
  for await (const page of resourcePages(reads, all)) if (page.at(-1)?.key.name === '0999') break;
  expect(reads.starts).toEqual([undefined, '0499']);
});
