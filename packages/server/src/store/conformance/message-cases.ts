import { describe, expect, it } from 'vitest';
import { id, type MakeStore, message, openFor } from './store-under-test.ts';

export const messageCases = (make: MakeStore): void => {
  describe('messages', () => {
    it('are given back as stored and saved', async () => {
      const { store } = await openFor(make);
      const row = message('s', id(1), { labels: { 'svc/turn': 't' }, turnId: 't', parts: '[{"text":"é"}]' });
      await store.write((tx) => tx.log.insertMessage(row));
      expect(await store.direct.log.message('s', id(1))).toEqual(row);
      const changed = { ...row, role: 2, labels: {}, parts: '[]', revision: 2 };
      await store.write((tx) => tx.log.saveMessage(changed));
      expect(await store.direct.log.message('s', id(1))).toEqual(changed);
      expect(await store.direct.log.message('other', id(1))).toBeUndefined();
    });

    it('come out with the halves of characters mended that an earlier build stored', async () => {
      const made = await openFor(make);
      const parts = JSON.stringify([{ content: 'a\ud83d' }]);
      await made.store.write((tx) => tx.log.insertMessage(message('s', id(1), { labels: { a: '\ude00' }, parts })));
      const { log } = (await made.reopen()).direct;
      const expected = { labels: { a: '\ufffd' }, parts: JSON.stringify([{ content: 'a\ufffd' }]) };
      expect(await log.message('s', id(1))).toMatchObject(expected);
      expect(await log.messagesBefore('s', undefined, 9)).toMatchObject([expected]);
    });

    it('refuse an id taken in the session, but not one of another session', async () => {
      const { store } = await openFor(make);
      await store.write((tx) => tx.log.insertMessage(message('s', id(1))));
      await store.write((tx) => tx.log.insertMessage(message('other', id(1))));
      const again = store.write((tx) => tx.log.insertMessage(message('s', id(1))));
      await expect(again).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'MESSAGE_EXISTS' });
    });

    it('page backwards and forwards in the order of ids', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const number of [4, 1, 3, 5, 2]) await tx.log.insertMessage(message('s', id(number)));
        await tx.log.insertMessage(message('other', id(9)));
      });
      const { log } = store.direct;
      const before = async (at: string | undefined, limit: number) =>
        (await log.messagesBefore('s', at, limit)).map((row) => row.id);
      expect(await before(undefined, 2)).toEqual([id(5), id(4)]);
      expect(await before(id(4), 2)).toEqual([id(3), id(2)]);
      expect(await before(id(1), 2)).toEqual([]);
      const after = (await log.messagesAfter('s', '', 10)).map((row) => row.id);
      expect(after).toEqual([1, 2, 3, 4, 5].map((number) => id(number)));
      expect((await log.messagesAfter('s', id(2), 2)).map((row) => row.id)).toEqual([id(3), id(4)]);
    });

    it('are found by their id alone in every session that has it', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const session of ['s', 'other', 'third']) await tx.log.insertMessage(message(session, id(1)));
        await tx.log.insertMessage(message('s', id(2)));
      });
      const { log } = store.direct;
      const found = async (wanted: string, limit: number) =>
        (await log.messagesOfId(wanted, limit)).map((row) => row.sessionId);
      expect(await found(id(1), 9)).toEqual(['other', 's', 'third']);
      expect(await found(id(1), 2)).toEqual(['other', 's']);
      expect(await found(id(3), 9)).toEqual([]);
    });

    it('are deleted one by one', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const number of [1, 2, 3]) await tx.log.insertMessage(message('s', id(number)));
        await tx.log.deleteMessages('s', [id(1), id(3), id(7)]);
      });
      expect((await store.direct.log.messagesAfter('s', '', 10)).map((row) => row.id)).toEqual([id(2)]);
    });
  });
};
