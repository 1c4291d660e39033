import { describe, expect, it } from 'vitest';
import type { SessionPage, SessionRow, Store } from '../contracts/index.ts';
import { sessionHolder } from '../contracts/index.ts';
import { id, insertTurns, type MakeStore, message, openFor, permission, session, turn } from './store-under-test.ts';

const ids = async (store: Store, page: Partial<SessionPage>): Promise<string[]> => {
  const found = await store.direct.log.sessions({ namespace: 'default', agent: 'agent', limit: 100, ...page });
  return found.map((row) => row.id);
};

const insertSessions = (store: Store, rows: readonly ReturnType<typeof session>[]): Promise<void> =>
  store.write(async (tx) => {
    for (const row of rows) await tx.log.insertSession(row);
  });

/** One row of every table that belongs to a session. */
const fill = (store: Store, sessionId: string, turnId: string): Promise<void> =>
  store.write(async (tx) => {
    await tx.log.insertMessage(message(sessionId, id(1, 5)));
    await tx.log.insertTurn(turn(turnId, sessionId, { state: 'RUNNING', worker: 'w', fence: 1, claimExpiresAt: 9 }));
    await tx.log.appendJournal([{ turnId, index: 0, kind: 'PARK', at: 1, body: '{}' }]);
    await tx.log.insertSteer({ sessionId, messageId: id(2, 5), turnId, bytes: 1, body: '{}' });
    await tx.log.insertPermission(permission(`permission-${turnId}`, turnId, { sessionId }));
    for (const holder of [sessionHolder(sessionId), `${sessionHolder(sessionId)}/part`])
      await tx.objects.addReference({ ...object(turnId), holder });
  });

const object = (sha256: string) => ({ namespace: 'default', sha256, sizeBytes: 1, mediaType: 'text/plain', at: 1 });

const leftOf = (store: Store, sessionId: string, turnId: string) =>
  store.write(async (tx) => ({
    messages: (await tx.log.messagesBefore(sessionId, undefined, 10)).length,
    turn: await tx.log.turn(turnId),
    journal: (await tx.log.journal(turnId)).length,
    steers: (await tx.log.steers(sessionId)).length,
    permissions: (await tx.log.permissionsOfTurn(turnId)).length,
    claims: (await tx.log.claimedTurns(undefined, 10)).filter((each) => each.id === turnId).length,
    object: await tx.objects.hasReference('default', turnId),
  }));

const NOTHING_LEFT = {
  ...{ messages: 0, turn: undefined, journal: 0, steers: 0, permissions: 0, claims: 0, object: false },
};

export const sessionCases = (make: MakeStore): void => {
  describe('sessions', () => {
    it('are given back as stored and saved', async () => {
      const { store } = await openFor(make);
      const row = session(id(1), { labels: { a: '1' }, body: '{"x":1}', admission: 1.5 });
      await insertSessions(store, [row]);
      expect(await store.direct.log.session(id(1))).toEqual(row);
      const changed: SessionRow = {
        ...row,
        ...{ state: 'PROCESSING' as const, fence: 4, epoch: 2, lastActive: 2_000_000, openTurns: 2, activeTurnId: 't' },
        ...{ admission: 9, lastMessageId: 'm', lastSequence: 12, labels: { b: '2' }, body: '[]' },
      };
      await store.write((tx) => tx.log.saveSession(changed));
      expect(await store.write((tx) => tx.log.lockSession(id(1)))).toEqual(changed);
      const waiting: SessionRow = { ...changed, state: 'WAITING' };
      await store.write((tx) => tx.log.saveSession(waiting));
      await store.write((tx) => tx.log.saveSession({ ...waiting, fence: 5 }));
      expect(await store.direct.log.session(id(1))).toEqual({ ...waiting, fence: 5 });
      expect(await store.direct.log.session(id(2))).toBeUndefined();
    });

    it('refuse an id that is taken', async () => {
      const { store } = await openFor(make);
      await insertSessions(store, [session(id(1))]);
      await expect(insertSessions(store, [session(id(1))])).rejects.toMatchObject({ reason: 'SESSION_EXISTS' });
    });

    it('tell how far they have come, many at once', async () => {
      const { store } = await openFor(make);
      const busy = { state: 'PROCESSING', activeTurnId: 't', openTurns: 2, fence: 3, lastSequence: 77 } as const;
      await insertSessions(store, [session(id(1)), session(id(2), busy), session(id(3))]);
      const entry = (index: number) => ({ turnId: 't', index, kind: 'TOOL_RESULT', at: 5, body: '{}' });
      await store.write((tx) => tx.log.appendJournal([entry(0), entry(1)]));
      const found = await store.direct.log.standings([id(2), id(9), id(1)]);
      expect(new Map(found.map((each) => [each.id, each]))).toEqual(
        new Map([
          [id(1), { id: id(1), state: 'IDLE', activeTurnId: '', openTurns: 0, fence: 0, lastSequence: 0, recorded: 0 }],
          [id(2), { id: id(2), ...busy, recorded: 2 }],
        ]),
      );
      expect(await store.direct.log.standings([])).toEqual([]);
    });

    it('are listed newest activity first, per namespace and agent, in pages', async () => {
      const { store } = await openFor(make);
      await insertSessions(store, [
        session(id(1), { lastActive: 10 }),
        session(id(2), { lastActive: 30 }),
        session(id(3), { lastActive: 10 }),
        session(id(4), { lastActive: 20, agent: 'other' }),
        session(id(5), { lastActive: 20, namespace: 'other' }),
      ]);
      expect(await ids(store, {})).toEqual([id(2), id(3), id(1)]);
      expect(await ids(store, { limit: 1, before: { lastActive: 30, id: id(2) } })).toEqual([id(3)]);
      expect(await ids(store, { before: { lastActive: 10, id: id(3) } })).toEqual([id(1)]);
      await store.write((tx) => tx.log.saveSession(session(id(1), { lastActive: 40 })));
      expect(await ids(store, {})).toEqual([id(1), id(2), id(3)]);
    });

    it('are selected by labels', async () => {
      const { store } = await openFor(make);
      await insertSessions(store, [
        session(id(1), { labels: { thread: 'a', kind: 'x' } }),
        session(id(2), { labels: { thread: 'b' } }),
        session(id(3)),
      ]);
      const thread = (...values: string[]) => ids(store, { labels: [{ op: 'in', key: 'thread', values }] });
      expect(await thread('a')).toEqual([id(1)]);
      expect(await thread('a', 'b')).toEqual([id(2), id(1)]);
      expect(await ids(store, { labels: [{ op: 'notExists', key: 'thread' }] })).toEqual([id(3)]);
      await store.write((tx) => tx.log.saveSession(session(id(1), { labels: { thread: 'c' } })));
      expect(await thread('a')).toEqual([]);
      expect(await thread('c')).toEqual([id(1)]);
    });

    it('are selected by a label that most of them carry', async () => {
      const { store } = await openFor(make);
      const many = Array.from({ length: 1_100 }, (_, index) =>
        session(id(index), { lastActive: index, labels: { all: 'y' } }),
      );
      await insertSessions(store, many);
      const labels = [{ op: 'in', key: 'all', values: ['y'] }] as const;
      expect(await ids(store, { labels, limit: 2 })).toEqual([id(1_099), id(1_098)]);
    });

    it('lose everything that belongs to them when deleted, and nothing of others', async () => {
      const { store } = await openFor(make);
      await insertSessions(store, [session(id(1), { labels: { a: '1' } }), session(id(2))]);
      await fill(store, id(1), 'turn-1');
      await fill(store, id(2), 'turn-2');
      await store.write((tx) => tx.log.deleteSession(id(1)));
      expect(await store.direct.log.session(id(1))).toBeUndefined();
      expect(await leftOf(store, id(1), 'turn-1')).toEqual(NOTHING_LEFT);
      expect(await leftOf(store, id(2), 'turn-2')).toMatchObject({ messages: 1, journal: 1, claims: 1, object: true });
      expect(await store.write((tx) => tx.objects.condemn(store.steadyNow() + 1, store.steadyNow(), 10))).toEqual([
        'turn-1',
      ]);
      expect(await ids(store, { labels: [{ op: 'in', key: 'a', values: ['1'] }] })).toEqual([]);
    });

    it('keep only their row when cleared', async () => {
      const { store } = await openFor(make);
      await insertSessions(store, [session(id(1), { labels: { a: '1' } })]);
      await fill(store, id(1), 'turn-1');
      await store.write((tx) => tx.log.clearSession(id(1)));
      expect(await leftOf(store, id(1), 'turn-1')).toEqual(NOTHING_LEFT);
      expect(await ids(store, { labels: [{ op: 'in', key: 'a', values: ['1'] }] })).toEqual([id(1)]);
    });

    it('are stuck when busy without an open turn', async () => {
      const { store } = await openFor(make);
      await insertSessions(store, [
        session(id(1), { state: 'PROCESSING', openTurns: 1 }),
        session(id(2), { state: 'PROCESSING', openTurns: 1 }),
        session(id(3), { state: 'WAITING' }),
        session(id(4)),
      ]);
      await insertTurns(store, [
        turn('t1', id(1), { state: 'RUNNING' }),
        turn('t2', id(2), { state: 'COMPLETED', finishedAt: 5 }),
      ]);
      const stuck = () => store.write((tx) => tx.log.stuckSessions(10));
      expect((await stuck()).map((row) => row.id)).toEqual([id(2), id(3)]);
      const first = await store.write((tx) => tx.log.stuckSessions(1));
      const second = await store.write((tx) => tx.log.stuckSessions(1));
      expect([...first, ...second].map((row) => row.id)).toEqual([id(2), id(3)]);
    });
  });
};
