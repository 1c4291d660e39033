import { describe, expect, it } from 'vitest';
import { type AuditFilter, type AuditRow, CONDEMNED_FOR_MICROS } from '../contracts/index.ts';
import { id, type MakeStore, openFor } from './store-under-test.ts';

export const workCases = (make: MakeStore): void => {
  describe('audit', () => {
    const row = (number: number, more: Partial<AuditRow> = {}): Omit<AuditRow, 'hash'> => ({
      ...{ id: id(number), at: number, requestId: 'r', identity: 'i', operation: 'Create', target: 't' },
      ...{ namespace: 'n1', outcome: 'OK', resourceVersion: '1' },
      ...more,
    });

    it('is listed newest first, filtered and paged', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.audit.append(row(1));
        await tx.audit.append(row(2, { namespace: 'n2', identity: 'j' }));
        await tx.audit.append(row(3, { operation: 'Delete' }));
      });
      const list = async (filter: Partial<AuditFilter>) =>
        (await store.direct.audit.list({ limit: 10, ...filter })).map((each) => each.at);
      expect(await list({})).toEqual([3, 2, 1]);
      expect(await list({ limit: 1, before: id(3) })).toEqual([2]);
      expect(await list({ namespaces: ['n1'] })).toEqual([3, 1]);
      expect(await list({ namespaces: [] })).toEqual([]);
      expect(await list({ namespaces: ['n1'], orBegin: 'n' })).toEqual([3, 2, 1]);
      expect(await list({ namespaces: ['n1'], orBegin: 'N2' })).toEqual([3, 1]);
      expect(await list({ namespaces: [], orBegin: 'n2', identity: 'j' })).toEqual([2]);
      expect(await list({ identity: 'j' })).toEqual([2]);
      expect(await list({ operation: 'Delete', since: 1 })).toEqual([3]);
      expect(await list({ since: 2, until: 3 })).toEqual([2]);
      expect((await store.write((tx) => tx.audit.list({ limit: 1 })))[0]).toEqual({
        ...row(3, { operation: 'Delete' }),
        hash: '',
      });
    });

    it('is chained in commit order', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const number of [5, 1, 9]) await tx.audit.append(row(number));
      });
      const unchained = async () => (await store.write((tx) => tx.audit.unchained(10))).map((each) => each.at);
      expect(await unchained()).toEqual([5, 1, 9]);
      expect(await store.direct.audit.chainHead()).toBe('');
      await store.write((tx) => tx.audit.setHashes([{ id: id(5), hash: 'h5' }]));
      await store.write((tx) => tx.audit.setHashes([{ id: id(1), hash: 'h1' }]));
      expect(await unchained()).toEqual([9]);
      expect(await store.direct.audit.chainHead()).toBe('h1');
      expect((await store.direct.audit.list({ limit: 10 })).map((each) => each.hash)).toEqual(['', 'h1', 'h5']);
      expect(await store.write((tx) => tx.audit.unchained(0))).toEqual([]);
      expect(await store.write((tx) => tx.audit.chainHead())).toBe('h1');
    });

    it('loses its oldest chained rows without a gap, never the newest of them nor one that is open', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const [number, at] of [
          [1, 10],
          [2, 20],
          [3, 90],
          [4, 30],
          [5, 40],
          [6, 5],
        ] as const)
          await tx.audit.append(row(number, { at }));
      });
      await store.write(async (tx) => {
        const hashes = [1, 2, 3, 4, 5].map((number) => ({ id: id(number), hash: `h${number}` }));
        await tx.audit.setHashes([...hashes, { id: 'unknown', hash: 'nowhere' }]);
      });
      const trim = (before: number, limit: number) => store.write((tx) => tx.audit.trim(before, limit));
      const kept = async () => (await store.direct.audit.list({ limit: 10 })).map((each) => each.at);
      expect([await trim(10, 9), await trim(50, 1), await trim(50, 9), await trim(50, 9)]).toEqual([0, 1, 1, 0]);
      expect(await kept()).toEqual([5, 40, 30, 90]);
      expect([await trim(99, 9), await trim(99, 9)]).toEqual([2, 0]);
      expect(await kept()).toEqual([5, 40]);
      expect(await store.direct.audit.chainHead()).toBe('h5');
      expect((await store.write((tx) => tx.audit.unchained(9))).map((each) => each.at)).toEqual([5]);
    });
  });

  describe('counters', () => {
    /** Buckets are ten long. */
    const after = (endsAfter: number, startsBy = 1_000) => ({ endsAfter, startsAfter: endsAfter - 10, startsBy });

    it('sum the buckets that end after a time, per key', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.counters.lock(['a', 'b']);
        await tx.counters.add('a', 0, 10, 5);
        await tx.counters.add('a', 10, 20, 1);
        await tx.counters.add('a', 10, 20, 2);
        await tx.counters.add('b', 10, 20, 7);
      });
      const none = { used: 0, oldestStart: 0 };
      const sums = await store.direct.counters.sum(['a', 'b', 'c'], after(10));
      expect(sums).toEqual(
        new Map([
          ['a', { used: 3, oldestStart: 10 }],
          ['b', { used: 7, oldestStart: 10 }],
          ['c', none],
        ]),
      );
      expect((await store.write((tx) => tx.counters.sum(['a'], after(9)))).get('a')).toEqual({
        used: 8,
        oldestStart: 0,
      });
      expect(await store.write((tx) => tx.counters.trim(20, 2))).toBe(2);
      expect(await store.write((tx) => tx.counters.trim(20, 2))).toBe(1);
      expect((await store.direct.counters.sum(['a'], after(0))).get('a')).toEqual(none);
    });

    it('leave out buckets of a time to come', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.counters.add('a|ann', 10, 20, 1);
        await tx.counters.add('a|ann', 20, 30, 4);
        await tx.counters.add('a|bob', 10, 20, 2);
      });
      const { counters } = store.direct;
      expect((await counters.sum(['a|ann'], after(10, 20))).get('a|ann')?.used).toBe(5);
      expect((await counters.sum(['a|ann'], after(10, 19))).get('a|ann')?.used).toBe(1);
      expect(await counters.hottest('a|', after(10, 20))).toEqual({ used: 5, oldestStart: 10 });
      expect(await counters.hottest('a|', after(10, 19))).toEqual({ used: 2, oldestStart: 10 });
    });

    it('know the largest of those that begin alike, in a window', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.counters.add('a|ann', 0, 10, 9);
        await tx.counters.add('a|ann', 10, 20, 1);
        await tx.counters.add('a|bob', 10, 20, 1);
        await tx.counters.add('a|bob', 20, 30, 1);
        await tx.counters.add('a|~', 10, 20, 1);
        await tx.counters.add('a', 10, 20, 50);
        await tx.counters.add('a}', 10, 20, 50);
      });
      const { counters } = store.direct;
      expect(await counters.hottest('a|', after(5))).toEqual({ used: 10, oldestStart: 0 });
      expect(await store.read((tx) => tx.counters.hottest('a|', after(10)))).toEqual({ used: 2, oldestStart: 10 });
      expect(await store.write((tx) => tx.counters.hottest('a|', after(20)))).toEqual({ used: 1, oldestStart: 20 });
      await store.write((tx) => tx.counters.add('a|abe', 20, 30, 2));
      expect(await counters.hottest('a|', after(10))).toEqual({ used: 2, oldestStart: 20 });
      expect([await counters.hottest('a|', after(30)), await counters.hottest('b|', after(0))]).toEqual([
        undefined,
        undefined,
      ]);
    });

    it('take no notice of a bucket of which all was given back', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.counters.add('a', 0, 10, 2);
        await tx.counters.add('a', 0, 10, -2);
        await tx.counters.add('a', 10, 20, 1);
      });
      const { counters } = store.direct;
      expect((await counters.sum(['a'], after(5))).get('a')).toEqual({ used: 1, oldestStart: 10 });
      expect(await counters.hottest('a', after(5))).toEqual({ used: 1, oldestStart: 10 });
    });
  });

  describe('object references', () => {
    const reference = (sha256: string, holder: string, namespace = 'n') => ({
      ...{ namespace, sha256, sizeBytes: 3, mediaType: 'text/plain', holder, at: 5 },
    });

    it('list what refers to an object, and since when nothing does', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.objects.addReference(reference('x', 'h1'));
        await tx.objects.addReference(reference('x', 'h1'));
        await tx.objects.addReference(reference('x', 'h2', 'm'));
        await tx.objects.addReference(reference('y', 'h1'));
        await tx.objects.addReference(reference('z', 'h10'));
      });
      expect(await store.direct.objects.hasReference('n', 'x')).toBe(true);
      await store.write((tx) => tx.objects.dropReferences('h1', 100));
      expect(await store.direct.objects.hasReference('n', 'x')).toBe(false);
      expect(await store.direct.objects.hasReference('m', 'x')).toBe(true);
      const condemned = (before: number) => store.write((tx) => tx.objects.condemn(before, 1_000, 10));
      expect(await condemned(100)).toEqual([]);
      expect(await condemned(101)).toEqual(['y']);
      await store.write((tx) => tx.objects.dropReferences('h2', 110));
      expect(await condemned(200)).toEqual(['x']);
      expect(await store.write((tx) => tx.objects.hasReference('n', 'z'))).toBe(true);
    });

    it('add up what a holder and those below it refer to', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const [sha256, holder] of [
          ['x', 'file/n/1'],
          ['x', 'file/n/2'],
          ['y', 'file/n'],
          ['z', 'file/nn/1'],
          ['z', 'file/n0'],
        ] as const)
          await tx.objects.addReference(reference(sha256, holder));
      });
      const bytes = (holder: string) => store.write((tx) => tx.objects.heldBytes(holder));
      expect([await bytes('file/n'), await bytes('file/nn'), await bytes('none')]).toEqual([9, 3, 0]);
    });

    it('adopt objects the store never heard of, and no others', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.objects.addReference(reference('x', 'h1'));
        for (const sha256 of ['x', 'y']) await tx.objects.adopt(sha256, 3, 50);
        await tx.objects.adopt('y', 3, 90);
      });
      expect(await store.write((tx) => tx.objects.condemn(80, 100, 10))).toEqual(['y']);
    });

    it('are condemned by one collector, before any other one, and then forgotten', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const sha256 of ['x', 'y', 'z']) await tx.objects.adopt(sha256, 3, 10);
      });
      const condemn = (at: number, limit: number) => store.write((tx) => tx.objects.condemn(50, at, limit));
      expect((await condemn(100, 2)).length).toBe(2);
      const rest = await condemn(101, 2);
      expect(rest.length).toBe(1);
      expect(await condemn(102, 2)).toEqual([]);
      const [sha256 = ''] = rest;
      expect(await store.write((tx) => tx.objects.reserve(sha256, 3, 103))).toBe(false);
      const referring = store.write((tx) => tx.objects.addReference(reference(sha256, 'h1')));
      await expect(referring).rejects.toMatchObject({ code: 'ABORTED', reason: 'CONFLICT', metadata: { sha256 } });
      expect(await store.direct.objects.hasReference('n', sha256)).toBe(false);
      await store.write((tx) => tx.objects.forget(sha256, 102));
      expect(await store.write((tx) => tx.objects.reserve(sha256, 3, 104))).toBe(false);
      await store.write((tx) => tx.objects.forget(sha256, 101));
      expect(await store.write((tx) => tx.objects.reserve(sha256, 3, 105))).toBe(true);
    });

    it('are reserved before there are any, for as long as others are kept without', async () => {
      const { store } = await openFor(make);
      const condemn = (before: number) => store.write((tx) => tx.objects.condemn(before, 1_000, 10));
      const reserve = (sha256: string, at: number) => store.write((tx) => tx.objects.reserve(sha256, 3, at));
      expect([await reserve('x', 100), await reserve('y', 100)]).toEqual([true, true]);
      expect(await reserve('x', 150)).toBe(true);
      expect(await condemn(150)).toEqual(['y']);
      await store.write((tx) => tx.objects.addReference(reference('x', 'h1')));
      expect(await reserve('x', 160)).toBe(true);
      expect(await condemn(900)).toEqual([]);
      await store.write((tx) => tx.objects.dropReferences('h1', 170));
      expect(await condemn(171)).toEqual(['x']);
    });

    it('of a collector that was killed are taken up by another one, or by a writer that stores the bytes again', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const sha256 of ['x', 'y']) await tx.objects.adopt(sha256, 3, 10);
      });
      const condemn = (at: number) => store.write((tx) => tx.objects.condemn(50, at, 10));
      const reserve = (sha256: string, at: number) => store.write((tx) => tx.objects.reserve(sha256, 3, at));
      expect((await condemn(100)).toSorted()).toEqual(['x', 'y']);
      const late = 100 + CONDEMNED_FOR_MICROS;
      expect([await reserve('x', late), await condemn(late)]).toEqual([false, []]);
      expect(await reserve('x', late + 1)).toBe(true);
      expect(await condemn(late + 1)).toEqual(['y']);
      await store.write(async (tx) => {
        for (const sha256 of ['x', 'y']) await tx.objects.forget(sha256, 100);
      });
      expect(await condemn(late + CONDEMNED_FOR_MICROS)).toEqual([]);
      await store.write((tx) => tx.objects.addReference(reference('x', 'h1')));
      expect(await store.direct.objects.hasReference('n', 'x')).toBe(true);
    });
  });
};
