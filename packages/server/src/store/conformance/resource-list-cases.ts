import { describe, expect, it } from 'vitest';
import type { LabelRequirement, ResourceQuery, Store, StoredResource } from '../contracts/index.ts';
import { draft, insertAll, key, type MakeStore, names, openFor } from './store-under-test.ts';

/** Judges one resource as a list does. */
const isWanted = (
  { key: of, labels }: StoredResource,
  query: Pick<ResourceQuery, 'scope' | 'labels' | 'kind' | 'parent'>,
): boolean => {
  const { scope, kind, parent, labels: requirements = [] } = query;
  if ((kind ?? of.kind) !== of.kind || (parent ?? of.parent) !== of.parent) return false;
  if (scope.type === 'namespace' && scope.namespace !== of.namespace) return false;
  if (scope.type === 'namespaces' && !scope.namespaces.includes(of.namespace)) return false;
  return requirements.every((each) => {
    const value = labels[each.key];
    if (each.op === 'in') return value !== undefined && each.values.includes(value);
    return each.op === 'notIn'
      ? value === undefined || !each.values.includes(value)
      : (value !== undefined) === (each.op === 'exists');
  });
};

const pagesOf = async (
  store: Store,
  query: Omit<ResourceQuery, 'limit' | 'after'>,
  limit: number,
): Promise<StoredResource[]> => {
  const found: StoredResource[] = [];
  for (;;) {
    const after = found.at(-1)?.key;
    const page = await store.direct.resources.list({ ...query, limit, ...(after === undefined ? {} : { after }) });
    found.push(...page);
    if (page.length < limit) return found;
  }
};

export const resourceListCases = (make: MakeStore): void => {
  describe('lists of resources', () => {
    const some = [
      draft(key('b', { namespace: 'n1' }), { labels: { tier: 'gold', zone: 'x' } }),
      draft(key('a', { namespace: 'n1' }), { labels: { tier: 'iron' } }),
      draft(key('a', { namespace: 'n2' }), { labels: { tier: 'gold' } }),
      draft(key('Z', { namespace: 'n2' })),
      draft(key('s2', { kind: 'Session', namespace: 'n1', parent: 'a' })),
      draft(key('s1', { kind: 'Session', namespace: 'n1', parent: 'b' }), { labels: { 'svc/a.b': 'v/1' } }),
      draft(key('n1', { kind: 'Namespace', namespace: '' })),
    ];

    it('are ordered by kind, namespace, parent and name, byte-wise', async () => {
      const { store } = await openFor(make);
      await insertAll(store, some);
      expect(await names(store, {})).toEqual([
        'Agent/n1/a',
        'Agent/n1/b',
        'Agent/n2/Z',
        'Agent/n2/a',
        'Namespace/n1',
        'Session/n1/a/s2',
        'Session/n1/b/s1',
      ]);
    });

    it('are limited to kind, namespaces and parent', async () => {
      const { store } = await openFor(make);
      await insertAll(store, some);
      const in1 = { type: 'namespace', namespace: 'n1' } as const;
      expect(await names(store, { kind: 'Agent', scope: in1 })).toEqual(['Agent/n1/a', 'Agent/n1/b']);
      expect(await names(store, { scope: in1 })).toHaveLength(4);
      const both = { type: 'namespaces', namespaces: ['n9', 'n2', 'n1', 'n2'] } as const;
      expect(await names(store, { kind: 'Agent', scope: both })).toHaveLength(4);
      expect(await names(store, { scope: { type: 'namespaces', namespaces: [] } })).toEqual([]);
      expect(await names(store, { kind: 'Session', scope: in1, parent: 'b' })).toEqual(['Session/n1/b/s1']);
      expect(await names(store, { kind: 'Session', parent: '' })).toEqual([]);
    });

    it('are counted by kind and namespace, up to a limit', async () => {
      const { store } = await openFor(make);
      await insertAll(store, some);
      const counted = (kind: string, namespace: string, limit: number) =>
        store.write((tx) => tx.resources.count(kind, namespace, limit));
      expect(await counted('Agent', 'n1', 9)).toBe(2);
      expect(await counted('Agent', 'n1', 1)).toBe(1);
      expect(await counted('Session', 'n1', 9)).toBe(2);
      expect(await counted('Session', 'n2', 9)).toBe(0);
      expect(await store.direct.resources.count('Namespace', '', 9)).toBe(1);
    });

    it('page through everything once, whatever the page size and scope', async () => {
      const { store } = await openFor(make);
      await insertAll(store, some);
      const scopes: ResourceQuery['scope'][] = [
        { type: 'all' },
        { type: 'namespace', namespace: 'n1' },
        { type: 'namespaces', namespaces: ['n1', 'n2', ''] },
      ];
      for (const scope of scopes) {
        const whole = await store.direct.resources.list({ scope, limit: 100 });
        for (const limit of [1, 2, 3]) expect(await pagesOf(store, { scope }, limit)).toEqual(whole);
      }
    });

    it('select by labels; an absent label matches notIn and notExists', async () => {
      const { store } = await openFor(make);
      await insertAll(store, some);
      const by = (...labels: LabelRequirement[]) => names(store, { kind: 'Agent', labels });
      expect(await by({ op: 'in', key: 'tier', values: ['gold'] })).toEqual(['Agent/n1/b', 'Agent/n2/a']);
      expect(await by({ op: 'in', key: 'tier', values: ['gold', 'iron'] })).toHaveLength(3);
      expect(await by({ op: 'notIn', key: 'tier', values: ['gold'] })).toEqual(['Agent/n1/a', 'Agent/n2/Z']);
      expect(await by({ op: 'exists', key: 'zone' })).toEqual(['Agent/n1/b']);
      expect(await by({ op: 'notExists', key: 'tier' })).toEqual(['Agent/n2/Z']);
      const gold = { op: 'in', key: 'tier', values: ['gold'] } as const;
      expect(await by(gold, { op: 'notExists', key: 'zone' })).toEqual(['Agent/n2/a']);
      expect(await names(store, { labels: [{ op: 'in', key: 'svc/a.b', values: ['v/1'] }] })).toHaveLength(1);
      expect(await by({ op: 'in', key: 'tier', values: [] })).toEqual([]);
    });

    it('page by labels with one value or one of several, whatever else is asked for, in key order', async () => {
      const { store } = await openFor(make);
      const tiers = ['gold', 'iron', 'tin', 'clay'];
      const placed = ['Skill', 'Agent', 'Session'].flatMap((kind) =>
        ['n2', 'n1', 'n1:a'].flatMap((namespace) =>
          Array.from({ length: 8 }, (_, index) => {
            const parent = kind === 'Session' ? `p${index % 2}` : '';
            const labels = { tier: tiers[index % 4] ?? '', odd: String(index % 2) };
            return draft(key(`r${index}${index === 3 ? '\u{10ffff}' : '\uffff'}`, { kind, namespace, parent }), {
              labels,
              uid: `${kind}-${namespace}-${index}`,
            });
          }),
        ),
      );
      await insertAll(store, placed);
      const all = await store.direct.resources.list({ scope: { type: 'all' }, limit: 100 });
      const scopes: readonly ResourceQuery['scope'][] = [
        { type: 'all' },
        { type: 'namespace', namespace: 'n1' },
        { type: 'namespaces', namespaces: ['n1:a', 'n2', 'n3'] },
      ];
      const wanted: readonly (readonly LabelRequirement[])[] = [
        [{ op: 'in', key: 'tier', values: ['gold'] }],
        [{ op: 'in', key: 'tier', values: ['iron', 'gold', 'none', 'iron'] }],
        [
          { op: 'in', key: 'odd', values: ['1', '2'] },
          { op: 'notIn', key: 'tier', values: ['iron'] },
        ],
        [
          { op: 'in', key: 'tier', values: ['gold', 'iron'] },
          { op: 'in', key: 'odd', values: ['1'] },
        ],
        [{ op: 'in', key: 'tier', values: [...tiers, 'a', 'b', 'c', 'd', 'e'] }],
      ];
      for (const labels of wanted)
        for (const scope of scopes)
          for (const more of [{}, { kind: 'Agent' }, { kind: 'Session', parent: 'p1' }, { kind: 'Nothing' }]) {
            const fits = all.filter((each) => isWanted(each, { scope, labels, ...more }));
            const found = await pagesOf(store, { scope, labels, ...more }, 3);
            expect(found.map((each) => each.uid)).toEqual(fits.map((each) => each.uid));
          }
      const after = key('', { kind: 'Skill', namespace: '' });
      const [labels = []] = wanted;
      expect(
        await store.direct.resources.list({ scope: { type: 'all' }, labels, after, kind: 'Agent', limit: 9 }),
      ).toEqual([]);
    });

    it('page by a label and follow a change of labels', async () => {
      const { store } = await openFor(make);
      await insertAll(store, some);
      const gold = { kind: 'Agent', labels: [{ op: 'in', key: 'tier', values: ['gold'] }] } as const;
      const after = key('b', { namespace: 'n1' });
      expect(await names(store, { ...gold, after })).toEqual(['Agent/n2/a']);
      expect(await names(store, { ...gold, scope: { type: 'namespace', namespace: 'n1' }, after })).toEqual([]);
      const b = (await store.direct.resources.get(after))!;
      const { version: _version, updatedAt: _updatedAt, ...rest } = b;
      await store.write((tx) => tx.resources.replace({ ...rest, labels: { tier: 'tin' } }, b.version, ['metadata']));
      expect(await names(store, gold)).toEqual(['Agent/n2/a']);
      expect(await names(store, { kind: 'Agent', labels: [{ op: 'in', key: 'tier', values: ['tin'] }] })).toEqual([
        'Agent/n1/b',
      ]);
    });
  });
};
