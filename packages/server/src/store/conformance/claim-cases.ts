import { describe, expect, it } from 'vitest';
import type { Store, TurnRow } from '../contracts/index.ts';
import { id, insertTurns, type MakeStore, openFor, turn } from './store-under-test.ts';

const readyIds = async (store: Store, limit: number): Promise<string[]> =>
  (await store.write((tx) => tx.log.readyTurns(limit))).map((row) => row.id);

const running = (turnId: string, worker: string, more: Partial<TurnRow> = {}): TurnRow =>
  turn(turnId, `session-${turnId}`, { state: 'RUNNING', worker, fence: 1, claimExpiresAt: 100, ...more });

export const claimCases = (make: MakeStore): void => {
  describe('ready turns', () => {
    it('come oldest first within a namespace and namespaces in rotation', async () => {
      const { store } = await openFor(make);
      const rows = ['a', 'b', 'c'].flatMap((namespace, column) =>
        [0, 1, 2, 3].map((number) =>
          turn(`${namespace}${number}`, `s-${namespace}${number}`, {
            ...{ namespace, ready: true, createdAt: 100 + number * 10 + column },
          }),
        ),
      );
      await insertTurns(store, rows.reverse());
      const all = await readyIds(store, 100);
      expect(all).toHaveLength(12);
      for (const namespace of ['a', 'b', 'c'])
        expect(all.filter((each) => each.startsWith(namespace))).toEqual([0, 1, 2, 3].map((n) => `${namespace}${n}`));
      expect(new Set(all.slice(0, 3).map((each) => each[0])).size).toBe(3);
    });

    it('serve every namespace though one has a long backlog', async () => {
      const { store } = await openFor(make);
      const backlog = Array.from({ length: 50 }, (_, index) =>
        turn(id(index), `s-${index}`, { namespace: 'busy', ready: true, createdAt: index + 1 }),
      );
      const small = ['x', 'y'].map((namespace) =>
        turn(namespace, `s-${namespace}`, { namespace, ready: true, createdAt: 1_000 }),
      );
      await insertTurns(store, [...backlog, ...small]);
      const served: string[] = [];
      for (let round = 0; round < 3; round++) {
        const [next] = await store.write((tx) => tx.log.readyTurns(1));
        served.push(next!.namespace);
        await store.write((tx) => tx.log.saveTurn({ ...next!, state: 'RUNNING', ready: false }));
      }
      expect(served.sort()).toEqual(['busy', 'x', 'y']);
      expect(await readyIds(store, 100)).toHaveLength(49);
      expect(await readyIds(store, 20)).toEqual(backlog.slice(1, 21).map((row) => row.id));
    });

    it('leave out turns of a namespace that is not live until it is revived', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [
        turn('first', 's1', { namespace: 'n', ready: true, admission: 1 }),
        turn('second', 's1', { namespace: 'n', admission: 2 }),
        turn('behind', 's2', { namespace: 'n', admission: 2 }),
        turn('runs', 's2', { namespace: 'n', admission: 1, state: 'RUNNING', fence: 1, worker: 'w' }),
        turn('after', 's3', { namespace: 'n', admission: 2 }),
        turn('done', 's3', { namespace: 'n', admission: 1, state: 'COMPLETED' }),
        turn('other', 's4', { namespace: 'm', ready: true }),
      ]);
      await store.write((tx) => tx.log.setNamespaceReady('n', false));
      expect(await readyIds(store, 10)).toEqual(['other']);
      await store.write((tx) => tx.log.setNamespaceReady('n', true));
      expect((await readyIds(store, 10)).sort()).toEqual(['after', 'first', 'other']);
    });
  });

  describe('claims', () => {
    it('that expired are found, oldest first, and no others', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [
        running('a', 'w1', { claimExpiresAt: 90 }),
        running('b', 'w1', { claimExpiresAt: 50, state: 'WAITING' }),
        running('c', 'w2', { claimExpiresAt: 100 }),
        turn('d', 's'),
      ]);
      const expired = await store.write((tx) => tx.log.expiredClaims(100, 10));
      expect(expired.map((row) => [row.id, row.claimExpiresAt])).toEqual([
        ['b', 50],
        ['a', 90],
      ]);
      expect(await store.write((tx) => tx.log.expiredClaims(100, 1))).toHaveLength(1);
    });

    it('of a worker that is gone are found though they did not expire, those of a living one never', async () => {
      const { store } = await openFor(make);
      const [living, gone] = [await store.announce('w1', () => undefined), await store.announce('w2', () => undefined)];
      const mine = ['a', 'b', 'c'].map((turnId) => running(turnId, 'w2', { claimExpiresAt: 9e15 }));
      await insertTurns(store, [running('d', 'w1', { claimExpiresAt: 9e15 }), ...mine, turn('e', 's')]);
      const dead = async (limit = 10) => (await store.write((tx) => tx.log.deadClaims(limit))).map((row) => row.id);
      expect(await dead()).toEqual([]);
      await gone.close();
      expect(await dead()).toEqual(['a', 'b', 'c']);
      expect(await dead(2)).toEqual(['a', 'b']);
      for (const row of mine)
        await store.write((tx) => tx.log.saveTurn({ ...row, state: 'QUEUED', worker: '', claimExpiresAt: 0 }));
      expect(await dead()).toEqual([]);
      expect(await dead()).toEqual([]);
      await living.close();
    });

    it('of a process that is gone are found by the next one', async () => {
      const made = await openFor(make);
      await made.store.announce('w1', () => undefined);
      await insertTurns(made.store, [running('a', 'w1', { claimExpiresAt: 9e15 })]);
      const store = await made.reopen();
      await store.announce('w2', () => undefined);
      const dead = await store.write((tx) => tx.log.deadClaims(10));
      expect(dead).toMatchObject([{ id: 'a', worker: 'w1', fence: 1 }]);
    });

    it('are listed per worker or all together', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [running('a', 'w1'), running('b', 'w1'), running('c', 'w2'), turn('d', 's')]);
      const claimed = async (worker: string | undefined) =>
        (await store.write((tx) => tx.log.claimedTurns(worker, 10))).map((row) => row.id);
      expect(await claimed('w1')).toEqual(['a', 'b']);
      expect(await claimed('w3')).toEqual([]);
      expect((await claimed(undefined)).sort()).toEqual(['a', 'b', 'c']);
      expect(await store.write((tx) => tx.log.claimedTurns(undefined, 2))).toHaveLength(2);
    });

    it('are read by namespace in pages, with the turns that are parked', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [
        running('a', 'w1'),
        turn('b', 's2', { state: 'WAITING', wakeAt: 9e15 }),
        running('c', 'w2', { state: 'WAITING', wakeAt: 30 }),
        running('d', 'w1', { namespace: 'other' }),
        turn('e', 's5', { state: 'WAITING', wakeAt: 30, namespace: 'other' }),
        turn('f', 's6'),
        running('g', 'w3'),
      ]);
      const started = async (namespace: string, after: string, limit: number) =>
        (await store.write((tx) => tx.log.startedTurns(namespace, after, limit))).map((row) => row.id);
      expect(await started('default', '', 9)).toEqual(['a', 'b', 'c', 'g']);
      expect(await started('default', '', 2)).toEqual(['a', 'b']);
      expect(await started('default', 'b', 2)).toEqual(['c', 'g']);
      expect(await started('other', '', 9)).toEqual(['d', 'e']);
      expect(await started('none', '', 9)).toEqual([]);
      const [held] = await store.write((tx) => tx.log.startedTurns('default', '', 1));
      expect(held).toMatchObject({ worker: 'w1', claimExpiresAt: 100 });
    });

    it('move with a turn that another worker takes over', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [running('a', 'w1')]);
      await store.write((tx) => tx.log.saveTurn(running('a', 'w2', { fence: 2 })));
      expect(await store.write((tx) => tx.log.claimedTurns('w1', 10))).toEqual([]);
      const lost = await store.write((tx) => tx.log.renewClaims('w1', [{ turnId: 'a', fence: 1 }], 500));
      expect(lost).toEqual([{ turnId: 'a', held: false, stopRequested: false, steerCount: 0 }]);
      expect((await store.direct.log.turn('a'))?.claimExpiresAt).toBe(100);
    });

    it('are renewed with news of stops and steer entries', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [running('a', 'w'), running('b', 'w', { stopRequested: true }), running('c', 'w')]);
      const steer = (messageId: string) => ({ sessionId: 'session-c', messageId, turnId: 'c', bytes: 1, body: '' });
      await store.write(async (tx) => {
        await tx.log.insertSteer(steer('m1'));
        await tx.log.insertSteer(steer('m2'));
      });
      const claims = ['a', 'b', 'c', 'gone'].map((turnId) => ({ turnId, fence: 1 }));
      expect(await store.write((tx) => tx.log.renewClaims('w', claims, 500))).toEqual([
        { turnId: 'a', held: true, stopRequested: false, steerCount: 0 },
        { turnId: 'b', held: true, stopRequested: true, steerCount: 0 },
        { turnId: 'c', held: true, stopRequested: false, steerCount: 2 },
        { turnId: 'gone', held: false, stopRequested: false, steerCount: 0 },
      ]);
      for (const turnId of ['a', 'b', 'c']) expect((await store.direct.log.turn(turnId))?.claimExpiresAt).toBe(500);
    });

    it('that were not asked for are not renewed', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [running('a', 'w'), running('b', 'w'), running('c', 'w', { fence: 3 })]);
      const asked = [
        { turnId: 'a', fence: 1 },
        { turnId: 'c', fence: 2 },
      ];
      const news = await store.write((tx) => tx.log.renewClaims('w', asked, 500));
      expect(news.map((each) => each.held)).toEqual([true, false]);
      const expiries = ['a', 'b', 'c'].map(async (turnId) => (await store.direct.log.turn(turnId))?.claimExpiresAt);
      expect(await Promise.all(expiries)).toEqual([500, 100, 100]);
    });
  });
};
