import { describe, expect, it } from 'vitest';
import type { DependentFilter } from '../contracts/index.ts';
import { draft, insertAll, key, type MakeStore, names, openFor } from './store-under-test.ts';

export const resourceCases = (make: MakeStore): void => {
  describe('resources', () => {
    it('gives back every field as it was stored', async () => {
      const { store } = await openFor(make);
      const owner = { apiVersion: 'svc/v1', kind: 'Agent', namespace: 'n', name: 'o', uid: 'u', controller: true };
      const full = draft(key('é-✓', { namespace: 'a:b', parent: 'p' }), {
        ...{ generation: 7, labels: { 'svc/x.y': 'ü "quoted"', z: '' }, annotations: { note: 'line\nbreak' } },
        ...{ owners: [{ ...owner, blockOwnerDeletion: false }], finalizers: ['a', 'b'], deletionTimestamp: 5 },
        ...{ spec: '{"a":[1,2]}', status: '{"phase":"Ready"}' },
      });
      const stored = await store.write((tx) => tx.resources.insert(full));
      expect(stored).toEqual({ ...full, version: stored.version, updatedAt: store.now() });
      expect(await store.direct.resources.get(full.key)).toEqual(stored);
      expect(await store.direct.resources.get(key('é-✓'))).toBeUndefined();
    });

    it('mends halves of characters that an earlier build stored', async () => {
      const made = await openFor(make);
      const half = JSON.stringify({ text: 'a\ud83d', '\udc00': 'whole \ud83d\ude00' });
      const broken = draft('a', {
        labels: { tier: 'x\ud83d' },
        annotations: { '\udc00': '' },
        spec: half,
        status: half,
      });
      const stored = await made.store.write((tx) => tx.resources.insert(broken));
      const store = await made.reopen();
      const mended = JSON.stringify({ text: 'a\ufffd', '\ufffd': 'whole \ud83d\ude00' });
      const expected = { labels: { tier: 'x\ufffd' }, annotations: { '\ufffd': '' }, spec: mended, status: mended };
      expect(await store.direct.resources.get(broken.key)).toMatchObject(expected);
      expect((await store.direct.resources.list({ scope: { type: 'all' }, limit: 9 }))[0]).toMatchObject(expected);
      expect((await store.direct.resources.changes(0, 9))[0]?.resource).toMatchObject(expected);
      const next = draft('a', { labels: { tier: 'gold' }, spec: '{}' });
      expect(await store.write((tx) => tx.resources.replace(next, stored.version, ['metadata']))).toBeDefined();
      expect(await names(store, { labels: [{ op: 'in', key: 'tier', values: ['gold'] }] })).toEqual([
        'Agent/default/a',
      ]);
      expect(await names(store, { labels: [{ op: 'notIn', key: 'tier', values: ['gold'] }] })).toEqual([]);
    });

    it('refuses a key that is taken', async () => {
      const { store } = await openFor(make);
      await insertAll(store, [draft('a'), draft(key('a', { kind: 'McpServer' }))]);
      const again = store.write((tx) => tx.resources.insert(draft('a')));
      await expect(again).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'AGENT_EXISTS' });
      const other = store.write((tx) => tx.resources.insert(draft(key('a', { kind: 'McpServer' }))));
      await expect(other).rejects.toMatchObject({ reason: 'MCP_SERVER_EXISTS' });
    });

    it('keeps one that is named by its uid like every other', async () => {
      const { store } = await openFor(make);
      const owner = { apiVersion: 'svc/v1', kind: 'Agent', namespace: '', name: 'o', uid: 'u1', controller: true };
      const named = {
        ...draft('uid-x'),
        uid: 'uid-x',
        labels: { l: 'v' },
        owners: [{ ...owner, blockOwnerDeletion: true }],
      };
      await insertAll(store, [named, draft('b')]);
      const first = await store.direct.resources.get(key('uid-x'));
      expect(first).toMatchObject(named);
      expect(await store.direct.resources.dependents('u1', 9)).toEqual([first]);
      const labelled = { kind: 'Agent', scope: { type: 'all' as const }, limit: 9 };
      const wanted = [{ op: 'in' as const, key: 'l', values: ['v'] }];
      expect(await store.direct.resources.list({ ...labelled, labels: wanted })).toEqual([first]);
      const again = store.write((tx) => tx.resources.insert(named));
      await expect(again).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'AGENT_EXISTS' });
      const changes = await store.direct.resources.changes(0, 9);
      expect(changes.map(({ change, version, resource }) => [change, version, resource.key.name])).toEqual([
        ['created', first?.version, 'uid-x'],
        ['created', changes[1]?.version, 'b'],
      ]);
      expect(changes[1]?.version).toBeGreaterThan(first?.version ?? Number.NaN);
    });

    it('replaces only the expected version', async () => {
      const { store } = await openFor(make);
      const first = await store.write((tx) => tx.resources.insert(draft('a')));
      const change = draft('a', { spec: '{"x":1}', generation: 2 });
      const second = await store.write((tx) => tx.resources.replace(change, first.version, ['spec']));
      expect(second).toMatchObject({ spec: '{"x":1}', generation: 2 });
      expect(second?.version).toBeGreaterThan(first.version);
      expect(await store.write((tx) => tx.resources.replace(change, first.version, ['spec']))).toBeUndefined();
      expect(await store.write((tx) => tx.resources.replace(draft('gone'), 1, ['spec']))).toBeUndefined();
      expect(await store.direct.resources.get(key('a'))).toEqual(second);
    });

    it('removes only the expected version and forgets labels, owners and activity', async () => {
      const { store } = await openFor(make);
      const of = { apiVersion: 'svc/v1', kind: 'Agent', namespace: '', name: 'o', uid: 'u1' };
      const owned = { ...of, controller: true, blockOwnerDeletion: true };
      const made = await store.write(async (tx) => {
        await tx.resources.setActivity('uid-a', '{}');
        return tx.resources.insert(draft('a', { labels: { l: 'v' }, owners: [owned], spec: '{"last":1}' }));
      });
      expect(await store.write((tx) => tx.resources.remove(key('a'), made.version + 1))).toBeUndefined();
      const removed = await store.write((tx) => tx.resources.remove(key('a'), made.version));
      expect(removed).toMatchObject({ spec: '{"last":1}', uid: 'uid-a' });
      expect(await store.direct.resources.get(key('a'))).toBeUndefined();
      expect(await store.direct.resources.dependents('u1', 10)).toEqual([]);
      expect((await store.direct.resources.activity(['uid-a'])).size).toBe(0);
      expect(await names(store, { kind: 'Agent', labels: [{ op: 'in', key: 'l', values: ['v'] }] })).toEqual([]);
      await insertAll(store, [draft('a')]);
      expect(await store.write((tx) => tx.resources.remove(key('a'), made.version))).toBeUndefined();
    });

    it('finds dependents by the uid of any owner, after changes of owners too', async () => {
      const { store } = await openFor(make);
      const owner = (uid: string) => ({
        ...{ apiVersion: 'svc/v1', kind: 'Agent', namespace: '', name: 'o', uid },
        ...{ controller: false, blockOwnerDeletion: false },
      });
      await insertAll(store, [
        draft('a', { owners: [owner('u1'), owner('u2')] }),
        draft('b', { owners: [owner('u1')] }),
      ]);
      const found = (uid: string) => store.direct.resources.dependents(uid, 10);
      expect((await found('u1')).map((r) => r.key.name)).toEqual(['a', 'b']);
      expect(await store.direct.resources.dependents('u1', 1)).toHaveLength(1);
      const a = (await found('u2'))[0]!;
      await store.write((tx) => tx.resources.replace(draft('a', { owners: [owner('u3')] }), a.version, ['metadata']));
      expect(await found('u2')).toEqual([]);
      expect((await found('u3')).map((r) => r.key.name)).toEqual(['a']);
    });

    it('tells dependents whose deletion has not begun, and those that block their owner', async () => {
      const { store } = await openFor(make);
      const owner = (uid: string, blockOwnerDeletion: boolean) => ({
        ...{ apiVersion: 'svc/v1', kind: 'Agent', namespace: '', name: 'o', uid },
        ...{ controller: false, blockOwnerDeletion },
      });
      await insertAll(store, [
        draft('a', { owners: [owner('u1', false), owner('u2', true)], deletionTimestamp: 5 }),
        draft('b', { owners: [owner('u1', true)], deletionTimestamp: 5 }),
        draft('c', { owners: [owner('u1', false)] }),
        draft('d', { owners: [owner('u1', true)] }),
      ]);
      const found = async (uid: string, which?: DependentFilter) =>
        (await store.direct.resources.dependents(uid, 10, which)).map((each) => each.key.name);
      expect(await found('u1')).toEqual(['a', 'b', 'c', 'd']);
      expect(await found('u1', 'undeleted')).toEqual(['c', 'd']);
      expect(await found('u1', 'blocking')).toEqual(['b', 'd']);
      expect(await found('u2', 'blocking')).toEqual(['a']);
      expect(await store.write((tx) => tx.resources.dependents('u1', 1, 'blocking'))).toHaveLength(1);
    });

    it('keeps activity beside the resource, without a version', async () => {
      const { store } = await openFor(make);
      const made = await store.write((tx) => tx.resources.insert(draft('a')));
      await store.write((tx) => tx.resources.setActivity('uid-a', '{"n":1}'));
      await store.write((tx) => tx.resources.setActivity('uid-a', '{"n":2}'));
      expect(await store.direct.resources.activity(['uid-a', 'other'])).toEqual(new Map([['uid-a', '{"n":2}']]));
      expect((await store.direct.resources.versionRange()).newest).toBe(made.version);
    });
  });

  describe('change log', () => {
    it('records every write in commit order with the state after it', async () => {
      const { store } = await openFor(make);
      expect(await store.direct.resources.versionRange()).toEqual({ oldest: 1, newest: 0 });
      const made = await store.write((tx) => tx.resources.insert(draft('a'), ['metadata', 'spec']));
      const changed = await store.write((tx) =>
        tx.resources.replace(draft('a', { status: '{"p":1}' }), made.version, ['status']),
      );
      const removed = await store.write((tx) => tx.resources.remove(key('a'), changed!.version));
      const changes = await store.direct.resources.changes(0, 10);
      expect(changes.map((each) => [each.change, each.sections])).toEqual([
        ['created', ['metadata', 'spec']],
        ['updated', ['status']],
        ['deleted', ['metadata', 'spec', 'status']],
      ]);
      expect(changes.map((each) => each.resource)).toEqual([made, changed, removed]);
      expect(changes.map((each) => each.version)).toEqual([made.version, changed!.version, removed!.version]);
      expect(await store.direct.resources.changes(made.version, 1)).toEqual([changes[1]]);
      expect(await store.direct.resources.versionRange()).toEqual({ oldest: made.version, newest: removed!.version });
    });

    it('gives rising versions without loss to writers that run at once (S4)', async () => {
      const { store } = await openFor(make);
      const seen: number[] = [];
      const writes = Array.from({ length: 50 }, (_, index) =>
        store.write(async (tx) => {
          await tx.resources.insert(draft(`r${index}`));
          if (index % 5 === 0) throw new Error('refused');
        }),
      );
      const results = Promise.allSettled(writes);
      for (let after = 0; seen.length < 40; ) {
        const page = await store.direct.resources.changes(after, 7);
        seen.push(...page.map((each) => each.version));
        after = seen.at(-1) ?? 0;
        await store.ping();
        if (page.length === 0) await results;
      }
      expect(seen).toEqual([...new Set(seen)].sort((left, right) => left - right));
      expect(seen).toHaveLength(40);
    });

    it('drops old entries, but never the newest, so that versions go on', async () => {
      const { store, clock } = await openFor(make);
      for (const name of ['a', 'b', 'c']) {
        clock.advance(1000);
        await store.write((tx) => tx.resources.insert(draft(name)));
      }
      const at = (await store.direct.resources.changes(0, 10)).map((each) => each.at);
      const newest = (await store.direct.resources.versionRange()).newest;
      expect(await store.write((tx) => tx.resources.trimChanges(at[1]!, 10))).toBe(1);
      expect(await store.write((tx) => tx.resources.trimChanges(at[2]! + 1, 1))).toBe(1);
      expect(await store.write((tx) => tx.resources.trimChanges(at[2]! + 1, 10))).toBe(0);
      expect(await store.direct.resources.versionRange()).toEqual({ oldest: newest, newest });
      expect((await store.write((tx) => tx.resources.insert(draft('d')))).version).toBe(newest + 1);
    });
  });
};
