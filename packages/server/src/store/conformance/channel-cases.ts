import { describe, expect, it } from 'vitest';
import {
  type ChannelEventDraft,
  type ChannelHistory,
  type ChannelMessageRow,
  channelMessageHolder,
} from '../contracts/index.ts';
import { id, type MakeStore, openFor } from './store-under-test.ts';

const message = (channelUid: string, number: number, more: Partial<ChannelMessageRow> = {}): ChannelMessageRow => ({
  ...{ channelUid, id: id(number), createdAt: number * 1_000, body: `{"content":"${number}"}` },
  ...more,
});

const event = (at: number, more: Partial<ChannelEventDraft> = {}): ChannelEventDraft => ({
  ...{ kind: 2, at, messageId: '', body: '{}' },
  ...more,
});

const EVERYTHING: ChannelHistory = { events: 1_000, since: 0 };

const messageCases = (make: MakeStore): void => {
  it('give messages back and page them backwards, each channel by itself', async () => {
    const { store } = await openFor(make);
    await store.write(async (tx) => {
      await tx.channels.lock('c');
      for (const number of [2, 1, 3]) await tx.channels.insertMessage(message('c', number));
      await tx.channels.insertMessage(message('other', 1, { body: '{}' }));
    });
    const { channels } = store.direct;
    expect(await channels.message('c', id(2))).toEqual(message('c', 2));
    expect(await channels.message('c', id(9))).toBeUndefined();
    const before = async (at: string | undefined, limit: number) =>
      (await channels.messagesBefore('c', at, limit)).map((row) => row.id);
    expect(await before(undefined, 2)).toEqual([id(3), id(2)]);
    expect(await before(id(3), 5)).toEqual([id(2), id(1)]);
    expect(await before(id(1), 5)).toEqual([]);
  });

  it('refuse a message id taken in the channel', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => tx.channels.insertMessage(message('c', 1)));
    const again = store.write((tx) => tx.channels.insertMessage(message('c', 1)));
    await expect(again).rejects.toMatchObject({ code: 'ALREADY_EXISTS', reason: 'CHANNEL_MESSAGE_EXISTS' });
  });

  it('drop old messages, oldest first, within a limit', async () => {
    const { store } = await openFor(make);
    await store.write(async (tx) => {
      for (const number of [1, 2, 3, 4]) await tx.channels.insertMessage(message('c', number));
      await tx.channels.insertMessage(message('other', 1));
    });
    expect(await store.write((tx) => tx.channels.trimMessages('c', 4_000, 2))).toBe(2);
    expect(await store.write((tx) => tx.channels.trimMessages('c', 4_000, 2))).toBe(1);
    expect(await store.write((tx) => tx.channels.trimMessages('c', 4_000, 2))).toBe(0);
    expect((await store.direct.channels.messagesBefore('c', undefined, 9)).map((row) => row.id)).toEqual([id(4)]);
    expect(await store.direct.channels.message('other', id(1))).toBeDefined();
  });
};

const eventCases = (make: MakeStore): void => {
  it('number events without holes, each channel by itself, and show their messages', async () => {
    const { store } = await openFor(make);
    const shown = event(5, { kind: 1, messageId: id(1), body: '{"a":1}' });
    await store.write((tx) => tx.channels.insertMessage(message('c', 1)));
    const first = await store.write((tx) => tx.channels.appendEvents('c', [shown, event(6)]));
    expect(first.map((row) => row.sequence)).toEqual([1, 2]);
    await store.write((tx) => tx.channels.appendEvents('other', [event(6)]));
    expect(await store.write((tx) => tx.channels.appendEvents('c', []))).toEqual([]);
    await store.write((tx) => tx.channels.appendEvents('c', [event(7, { messageId: id(9) })]));
    const { channels } = store.direct;
    expect(await channels.events('c', 0, 9)).toEqual([
      { ...shown, channelUid: 'c', sequence: 1, message: message('c', 1) },
      { ...event(6), channelUid: 'c', sequence: 2 },
      { ...event(7, { messageId: id(9) }), channelUid: 'c', sequence: 3 },
    ]);
    expect((await channels.events('c', 1, 1)).map((row) => row.sequence)).toEqual([2]);
  });

  it('know which events are kept by count and by age', async () => {
    const { store } = await openFor(make);
    const range = (history: Partial<ChannelHistory>) =>
      store.direct.channels.eventRange('c', { ...EVERYTHING, ...history });
    expect(await range({})).toEqual({ oldest: 1, newest: 0 });
    await store.write((tx) => tx.channels.appendEvents('c', [event(10), event(20), event(30)]));
    expect(await range({})).toEqual({ oldest: 1, newest: 3 });
    expect(await range({ events: 2 })).toEqual({ oldest: 2, newest: 3 });
    expect(await range({ since: 30 })).toEqual({ oldest: 3, newest: 3 });
    expect(await range({ since: 31 })).toEqual({ oldest: 4, newest: 3 });
  });

  it('drop what is not kept and go on numbering', async () => {
    const { store } = await openFor(make);
    await store.write((tx) =>
      tx.channels.appendEvents(
        'c',
        [10, 20, 30, 40].map((at) => event(at)),
      ),
    );
    expect(await store.write((tx) => tx.channels.trimEvents('c', { events: 1, since: 0 }, 2))).toBe(2);
    expect(await store.write((tx) => tx.channels.trimEvents('c', { events: 10, since: 99 }, 5))).toBe(2);
    const rows = await store.write((tx) => tx.channels.appendEvents('c', [event(50)]));
    expect(rows[0]?.sequence).toBe(5);
    expect((await store.direct.channels.events('c', 0, 9)).map((row) => row.sequence)).toEqual([5]);
  });
};

export const channelCases = (make: MakeStore): void => {
  describe('channels', () => {
    messageCases(make);
    eventCases(make);

    it('go piece by piece and leave others alone', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const number of [1, 2, 3]) await tx.channels.insertMessage(message('c', number));
        await tx.channels.insertMessage(message('other', 1));
        await tx.channels.appendEvents('c', [event(1), event(2)]);
        await tx.channels.appendEvents('other', [event(1)]);
      });
      const remove = () => store.write((tx) => tx.channels.removeSome('c', 2));
      expect([await remove(), await remove(), await remove(), await remove()]).toEqual([2, 2, 1, 0]);
      const { channels } = store.direct;
      expect(await channels.messagesBefore('c', undefined, 9)).toEqual([]);
      expect(await channels.eventRange('c', EVERYTHING)).toEqual({ oldest: 1, newest: 0 });
      expect(await channels.message('other', id(1))).toBeDefined();
      expect((await channels.events('other', 0, 9)).length).toBe(1);
    });

    it('drop what their messages refer to with them, and nothing that others refer to', async () => {
      const { store } = await openFor(make);
      const object = (letter: string) => ({
        ...{ namespace: 'default', sha256: letter.repeat(64), sizeBytes: 10, mediaType: '', at: 1 },
      });
      await store.write(async (tx) => {
        for (const number of [1, 2, 3]) {
          await tx.channels.insertMessage(message('c', number));
          await tx.objects.addReference({ ...object(`${number}`), holder: channelMessageHolder('c', id(number)) });
          await tx.objects.addReference({ ...object('a'), holder: channelMessageHolder('c', id(number)) });
        }
        await tx.objects.addReference({ ...object('3'), holder: channelMessageHolder('other', id(1)) });
      });
      const held = () =>
        store.read(async (tx) => {
          const found: string[] = [];
          for (const letter of ['1', '2', '3', 'a'])
            if (await tx.objects.hasReference('default', object(letter).sha256)) found.push(letter);
          return found.join('');
        });
      expect(await store.write((tx) => tx.channels.trimMessages('c', 2_000, 9))).toBe(1);
      expect(await held()).toBe('23a');
      expect(await store.write((tx) => tx.channels.removeSome('c', 1))).toBe(1);
      expect((await held()).length).toBe(2);
      expect(await store.write((tx) => tx.channels.removeSome('c', 9))).toBe(1);
      expect(await held()).toBe('3');
      const condemned = await store.write((tx) => tx.objects.condemn(tx.steadyNow() + 1, tx.steadyNow(), 9));
      expect([...condemned].sort()).toEqual(['1', '2', 'a'].map((letter) => object(letter).sha256));
    });

    it('outlive a restart', async () => {
      const made = await openFor(make);
      await made.store.write(async (tx) => {
        await tx.channels.insertMessage(message('c', 1));
        await tx.channels.appendEvents('c', [event(1)]);
      });
      const store = await made.reopen();
      expect(await store.direct.channels.message('c', id(1))).toEqual(message('c', 1));
      const [row] = await store.write((tx) => tx.channels.appendEvents('c', [event(2)]));
      expect(row?.sequence).toBe(2);
    });
  });
};
