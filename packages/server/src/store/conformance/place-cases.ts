import { describe, expect, it } from 'vitest';
import type { ResourceQuery, StoredResource } from '../contracts/index.ts';
import { draft, key, type MakeStore, openFor } from './store-under-test.ts';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `n${String(index).padStart(2, '0')}`);

export const placeCases = (make: MakeStore): void => {
  describe('lists of many namespaces', () => {
    it('page through what is in them in key order, whether that is most of a kind or little of it', async () => {
      const { store } = await openFor(make);
      const places = numbered(40);
      await store.write(async (tx) => {
        for (const [index, namespace] of places.entries()) {
          // Some have nothing, some more than a page.
          for (let count = 0; count < (index % 3) * 9; count++)
            await tx.resources.insert(
              draft(key(`a${count}`, { kind: 'Session', namespace, parent: `p${count % 2}` }), {
                uid: `session-${namespace}-${count}`,
                labels: { odd: String(count % 2) },
              }),
            );
          if (index % 13 === 5)
            await tx.resources.insert(draft(key('one', { kind: 'Skill', namespace }), { uid: `skill-${namespace}` }));
        }
      });
      const all = await store.direct.resources.list({ scope: { type: 'all' }, limit: 1_000 });
      const namespaces = places.filter((_place, index) => index % 4 !== 1).reverse();
      const scope = { type: 'namespaces', namespaces: [...namespaces, 'none', 'n02', ''] } as const;
      const odd = { op: 'exists', key: 'odd' } as const;
      const asked: readonly (Partial<ResourceQuery> & { readonly fits: (found: StoredResource) => boolean })[] = [
        { fits: () => true },
        { kind: 'Session', fits: (found) => found.key.kind === 'Session' },
        { kind: 'Session', parent: 'p1', fits: (found) => found.key.parent === 'p1' },
        { kind: 'Session', labels: [odd], fits: (found) => found.key.kind === 'Session' },
        { kind: 'Skill', fits: (found) => found.key.kind === 'Skill' },
        { kind: 'Task', fits: () => false },
      ];
      for (const { fits, ...query } of asked) {
        const wanted = all.filter((found) => namespaces.includes(found.key.namespace) && fits(found));
        const found: StoredResource[] = [];
        for (let page = wanted; page.length > 0; ) {
          const after = found.at(-1)?.key;
          page = [...(await store.direct.resources.list({ ...query, scope, limit: 7, ...(after && { after }) }))];
          found.push(...page);
        }
        expect(found.map(({ uid }) => uid)).toEqual(wanted.map(({ uid }) => uid));
      }
    });
  });
};
