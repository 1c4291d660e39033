import { describe, expect, it } from 'vitest';
import type { NewTurns, TurnRow, TurnState } from '../contracts/index.ts';
import { id, insertTurns, type MakeStore, openFor, permission, turn } from './store-under-test.ts';

export const turnCases = (make: MakeStore): void => {
  describe('turns', () => {
    it('are given back as stored and saved, with their claim', async () => {
      const { store } = await openFor(make);
      const row = turn('t', 's', { ready: true, userMessageId: 'm', body: '{"a":1}' });
      await insertTurns(store, [row]);
      expect(await store.direct.log.turn('t')).toEqual(row);
      const changed: TurnRow = {
        ...row,
        ...{
          admission: 0.5,
          state: 'RUNNING' as const,
          ready: false,
          attempt: 2,
          fence: 3,
          worker: 'w',
          claimExpiresAt: 77,
        },
        ...{ stopRequested: true, wakeAt: 8, finishedAt: 9, userMessageId: 'm2', body: '{}', agent: 'agent' },
      };
      expect(await store.write((tx) => tx.log.saveTurn(changed))).toBe(true);
      expect(await store.direct.log.turn('t')).toEqual(changed);
      const released = { ...changed, worker: '', claimExpiresAt: 0 };
      await store.write((tx) => tx.log.saveTurn(released));
      expect(await store.direct.log.turn('t')).toEqual(released);
    });

    it('are written only when fence and state match the guard (R4)', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [turn('t', 's', { state: 'RUNNING', fence: 2, worker: 'w', claimExpiresAt: 5 })]);
      const save = (fence: number, ...states: TurnState[]) =>
        store.write((tx) => tx.log.saveTurn(turn('t', 's', { state: 'COMPLETED', fence: 2 }), { fence, states }));
      const before = await store.direct.log.turn('t');
      expect(await save(1, 'RUNNING')).toBe(false);
      expect(await save(2, 'QUEUED', 'WAITING')).toBe(false);
      expect(await store.direct.log.turn('t')).toEqual(before);
      expect(await save(2, 'WAITING', 'RUNNING')).toBe(true);
      expect(await save(2, 'WAITING', 'RUNNING')).toBe(false);
      expect(await store.write((tx) => tx.log.saveTurn(turn('gone', 's')))).toBe(false);
    });

    it('of a session are listed open ones first admitted first, all newest first, and by fence', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [
        turn(id(1), 's', { state: 'COMPLETED', admission: 1, fence: 1, finishedAt: 3 }),
        turn(id(2), 's', { state: 'QUEUED', admission: 3 }),
        turn(id(3), 's', { state: 'WAITING', admission: 2, fence: 5 }),
        turn(id(4), 's', { state: 'QUEUED', admission: 2.5 }),
        turn(id(5), 'other', { state: 'RUNNING', fence: 9 }),
      ]);
      const { log } = store.direct;
      const idsOf = (rows: readonly { readonly id: string }[]) => rows.map((row) => row.id);
      expect(idsOf(await log.openTurns('s'))).toEqual([id(3), id(4), id(2)]);
      expect(idsOf(await log.turns('s', { limit: 2 }))).toEqual([id(4), id(3)]);
      expect(idsOf(await log.turns('s', { limit: 2, before: id(3) }))).toEqual([id(2), id(1)]);
      expect(idsOf(await log.turns('s', { limit: 9, state: 'QUEUED' }))).toEqual([id(4), id(2)]);
      expect(idsOf(await log.turnsFromFence('s', 1, 9))).toEqual([id(1), id(3)]);
      expect(idsOf(await log.turnsFromFence('s', 2, 9))).toEqual([id(3)]);
      expect(idsOf(await log.turnsFromFence('s', 0, 9))).toEqual([id(1), id(3)]);
      expect(idsOf(await log.turnsFromFence('s', 1, 1))).toEqual([id(1)]);
    });

    it('admitted since a mark name their sessions once, whatever became of them', async () => {
      const { store } = await openFor(make);
      const { log } = store.direct;
      const sessionsOf = (found: NewTurns) => found.sessions.map(({ sessionId }) => sessionId);
      await insertTurns(store, [turn(id(1), 'a'), turn(id(2), 'b')]);
      const first = await log.newTurns(undefined, 10);
      expect(sessionsOf(first)).toEqual(['a', 'b']);
      expect(first.sessions[0]).toEqual({ namespace: 'default', agent: 'agent', sessionId: 'a' });
      expect(sessionsOf(await log.newTurns(first.mark, 10))).toEqual([]);
      await store.write((tx) => tx.log.saveTurn(turn(id(1), 'a', { state: 'COMPLETED' })));
      await insertTurns(store, [turn(id(3), 'a'), turn(id(4), 'c'), turn(id(5), 'd')]);
      const page = await log.newTurns(first.mark, 2);
      expect(sessionsOf(page)).toEqual(['a', 'c']);
      expect(sessionsOf(await log.newTurns(page.mark, 2))).toEqual(['d']);
    });

    it('that are parked come up when their time has come', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [
        turn('a', 's1', { state: 'WAITING', wakeAt: 30 }),
        turn('b', 's2', { state: 'WAITING', wakeAt: 10 }),
        turn('c', 's3', { state: 'WAITING' }),
        turn('d', 's4', { state: 'WAITING', wakeAt: 31 }),
      ]);
      const due = (limit: number) => store.write((tx) => tx.log.dueParks(30, limit));
      expect((await due(9)).map((row) => row.id)).toEqual(['b', 'a']);
      expect(await due(1)).toHaveLength(1);
    });
  });

  describe('journal', () => {
    it('is read in order of index', async () => {
      const { store } = await openFor(make);
      const entry = (index: number, turnId = 't') => ({
        turnId,
        index,
        kind: 'TOOL_RESULT',
        at: 5,
        body: `{"n":${index}}`,
      });
      await store.write((tx) => tx.log.appendJournal([entry(0), entry(1)]));
      await store.write((tx) => tx.log.appendJournal([entry(2), entry(0, 'other')]));
      expect(await store.direct.log.journal('t')).toEqual([entry(0), entry(1), entry(2)]);
      const again = store.write((tx) => tx.log.appendJournal([entry(1)]));
      await expect(again).rejects.toThrow();
    });

    it('is dropped some time after its turn ended, not before', async () => {
      const { store } = await openFor(make);
      await insertTurns(store, [
        turn('ended', 's1', { state: 'COMPLETED', finishedAt: 50 }),
        turn('late', 's2', { state: 'COMPLETED', finishedAt: 150 }),
        turn('open', 's3', { state: 'WAITING' }),
      ]);
      const entry = (turnId: string, index: number) => ({ turnId, index, kind: 'PARK', at: 10 + index, body: '' });
      await store.write((tx) =>
        tx.log.appendJournal(['open', 'late', 'ended'].flatMap((turnId) => [entry(turnId, 0), entry(turnId, 1)])),
      );
      expect(await store.write((tx) => tx.log.trimJournal(100, 1))).toBe(1);
      expect(await store.write((tx) => tx.log.trimJournal(100, 10))).toBe(1);
      expect(await store.write((tx) => tx.log.trimJournal(100, 10))).toBe(0);
      expect(await store.direct.log.journal('ended')).toEqual([]);
      expect(await store.direct.log.journal('late')).toHaveLength(2);
      expect(await store.direct.log.journal('open')).toHaveLength(2);
    });
  });

  describe('steer entries and permission requests', () => {
    it('keeps steer entries in the order of messages until they are deleted', async () => {
      const { store } = await openFor(make);
      const steer = (messageId: string) => ({ sessionId: 's', messageId, turnId: 't', bytes: 3, body: '{}' });
      await store.write(async (tx) => {
        await tx.log.insertSteer(steer(id(2)));
        await tx.log.insertSteer(steer(id(1)));
      });
      expect(await store.direct.log.steers('s')).toEqual([steer(id(1)), steer(id(2))]);
      await store.write((tx) => tx.log.deleteSteers('s', [id(1)]));
      expect(await store.direct.log.steers('s')).toEqual([steer(id(2))]);
    });

    it('lists open permission requests of the namespaces asked for, oldest first', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.log.insertPermission(permission(id(3), 't1', { namespace: 'n2' }));
        await tx.log.insertPermission(permission(id(1), 't1', { namespace: 'n1', body: '{"a":1}' }));
        await tx.log.insertPermission(permission(id(2), 't2', { namespace: 'n1' }));
        await tx.log.insertPermission(permission(id(4), 't2', { namespace: 'n3' }));
      });
      const open = async (namespaces: string[] | 'all', after: string, limit: number) =>
        (await store.direct.log.openPermissions(namespaces, after, limit)).map((row) => row.id);
      expect(await open(['n1', 'n2', 'n1'], '', 9)).toEqual([id(1), id(2), id(3)]);
      expect(await open(['n1', 'n2'], id(1), 1)).toEqual([id(2)]);
      expect(await open('all', '', 9)).toEqual([id(1), id(2), id(3), id(4)]);
      expect(await open('all', id(1), 2)).toEqual([id(2), id(3)]);
      const first = await store.direct.log.permission(id(1));
      expect(first).toEqual(permission(id(1), 't1', { namespace: 'n1', body: '{"a":1}' }));
      await store.write((tx) => tx.log.savePermission({ ...first!, open: false, body: '{"b":2}' }));
      expect(await open(['n1', 'n2'], '', 9)).toEqual([id(2), id(3)]);
      expect(await store.direct.log.permission(id(1))).toMatchObject({ open: false, body: '{"b":2}' });
      expect((await store.direct.log.permissionsOfTurn('t1')).map((row) => row.id)).toEqual([id(1), id(3)]);
      const again = store.write((tx) => tx.log.insertPermission(permission(id(1), 't1')));
      await expect(again).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    });
  });
};
