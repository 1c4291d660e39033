import { expect, it } from 'vitest';
import type { DescribedName, QueueItem, QueueWrites, Store, WriteTx } from '../contracts/index.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

const item = (key: string, dueAt: number, more: Partial<QueueItem> = {}): QueueItem => ({
  ...{ kind: 'k', key, dueAt, attempts: 0, payload: `p-${key}` },
  ...more,
});

/** What a queue promises. */
export const queueCases = (make: MakeStore, name: DescribedName): void => {
  const queue = (tx: WriteTx) => tx[name] as QueueWrites;
  const take = (store: Store, now: number, limit = 10) => store.write((tx) => queue(tx).take(['k'], now, 100, limit));

  it('hands out what is due, oldest first, and hides it for the lease', async () => {
    const { store } = await openFor(make);
    await store.write(async (tx) => {
      for (const each of [item('b', 20), item('a', 10), item('late', 51), item('x', 5, { kind: 'other' })])
        await queue(tx).put(each);
    });
    expect(await store.write((tx) => queue(tx).nextDue(['k', 'other', 'none']))).toBe(5);
    const taken = await take(store, 50);
    expect(taken.map(({ token: _token, ...rest }) => rest)).toEqual([
      item('a', 10, { attempts: 1 }),
      item('b', 20, { attempts: 1 }),
    ]);
    expect(await take(store, 50)).toEqual([]);
    expect((await take(store, 151, 2)).map((each) => each.key)).toEqual(['late', 'a']);
    expect(await store.write((tx) => queue(tx).nextDue(['none']))).toBeUndefined();
  });

  it('counts what is due and waits, with the oldest of it', async () => {
    const { store } = await openFor(make);
    await store.write(async (tx) => {
      for (const each of [item('b', 20), item('a', 10), item('late', 51), item('x', 5, { kind: 'other' })])
        await queue(tx).put(each);
    });
    const backlog = (kinds: string[], now: number) => store.write((tx) => queue(tx).backlog(kinds, now));
    expect(await backlog(['k', 'k'], 50)).toEqual({ count: 2, oldestDueAt: 10 });
    expect(await backlog(['k', 'other', 'none'], 51)).toEqual({ count: 4, oldestDueAt: 5 });
    expect(await backlog(['k'], 9)).toEqual({ count: 0, oldestDueAt: 0 });
  });

  it('lists what an owner holds, and nothing that it gave back, lost or finished', async () => {
    const { store } = await openFor(make);
    await store.write(async (tx) => {
      for (const key of ['a', 'b', 'c', 'd', 'e']) await queue(tx).put(item(key, 10));
      await queue(tx).put(item('x', 10, { kind: 'other' }));
    });
    const takeAs = (owner: string, now: number, limit: number) =>
      store.write((tx) => queue(tx).take(['k', 'other'], now, 100, limit, owner));
    const held = (owner: string, now: number, { kinds = ['k'], limit = 10 } = {}) =>
      store.write((tx) => queue(tx).held(owner, { kinds, now, until: now + 100 }, limit));
    const [a, b] = await takeAs('w1', 20, 2);
    expect((await takeAs('w10', 30, 1)).map(({ key }) => key)).toEqual(['c']);
    expect((await store.write((tx) => queue(tx).take(['k'], 30, 100, 1))).map(({ key }) => key)).toEqual(['d']);
    expect(await held('w1', 40)).toEqual([
      { kind: 'k', key: 'a', dueAt: 120, attempts: 1, payload: 'p-a', since: 20 },
      { kind: 'k', key: 'b', dueAt: 120, attempts: 1, payload: 'p-b', since: 20 },
    ]);
    expect((await held('w1', 40, { limit: 1 })).map(({ key }) => key)).toEqual(['a']);
    expect([
      await held('w1', 40, { kinds: ['other'] }),
      await held('w', 40),
      await held('', 40),
      await held('w1', 120),
    ]).toEqual([[], [], [], []]);
    await store.write((tx) => queue(tx).renew('k', 'b', b?.token ?? '', 130));
    await store.write((tx) => queue(tx).retry('k', 'a', a?.token ?? '', 90, 'p'));
    expect((await held('w1', 50)).map(({ key, dueAt }) => [key, dueAt])).toEqual([['b', 130]]);
    await store.write((tx) => queue(tx).ack('k', 'b', b?.token ?? ''));
    expect(await held('w1', 50)).toEqual([]);
  });

  it('puts a pair once, unless it replaces', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => queue(tx).put(item('a', 10)));
    await store.write((tx) => queue(tx).put(item('a', 1, { payload: 'ignored' })));
    const [taken] = await take(store, 10);
    expect(taken?.payload).toBe('p-a');
    await store.write((tx) => queue(tx).put(item('a', 1, { payload: 'new' }), { replace: true }));
    expect(await store.write((tx) => queue(tx).ack('k', 'a', taken!.token))).toBe(false);
    expect((await take(store, 10)).map((each) => each.payload)).toEqual(['new']);
  });

  it('lets only the holder of the token finish or retry', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => queue(tx).put(item('a', 10)));
    const [first] = await take(store, 10);
    const [second] = await take(store, 200);
    expect(second?.token).not.toBe(first?.token);
    const retry = (token: string) => store.write((tx) => queue(tx).retry('k', 'a', token, 300, 'again'));
    expect(await retry(first!.token)).toBe(false);
    expect(await retry(second!.token)).toBe(true);
    expect(await store.write((tx) => queue(tx).ack('k', 'a', second!.token))).toBe(false);
    expect(await store.write((tx) => queue(tx).ack('k', 'a', ''))).toBe(false);
    const [third] = await take(store, 300);
    expect(third).toMatchObject({ attempts: 3, payload: 'again' });
    expect(await store.write((tx) => queue(tx).ack('k', 'a', third!.token))).toBe(true);
    expect(await take(store, 10_000)).toEqual([]);
  });

  it('forgets what is cancelled', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => queue(tx).put(item('a', 10)));
    await store.write((tx) => queue(tx).cancel('k', 'a'));
    expect(await take(store, 10)).toEqual([]);
  });

  it('hides an item for longer when its claim is renewed', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => queue(tx).put(item('a', 10)));
    const [claim] = await take(store, 10);
    const renew = (token: string, until: number) => store.write((tx) => queue(tx).renew('k', 'a', token, until));
    expect(await renew(claim!.token, 200)).toBe(true);
    expect(await take(store, 199)).toEqual([]);
    expect(await renew(claim!.token, 300)).toBe(true);
    expect(await take(store, 299)).toEqual([]);
    expect(await renew('', 900)).toBe(false);
    expect(await store.write((tx) => queue(tx).ack('k', 'a', claim!.token))).toBe(true);
  });

  it('lets an item whose lease ran out be taken again, and nothing be written by who had it', async () => {
    const { store } = await openFor(make);
    await store.write((tx) => queue(tx).put(item('a', 10)));
    const [lost] = await take(store, 10);
    const [held] = await take(store, 110);
    expect(held).toMatchObject({ key: 'a', attempts: 2 });
    const outcomes = (token: string) =>
      store.write(async (tx) => [
        await queue(tx).renew('k', 'a', token, 900),
        await queue(tx).retry('k', 'a', token, 1, 'stale'),
        await queue(tx).ack('k', 'a', token),
      ]);
    expect(await outcomes(lost!.token)).toEqual([false, false, false]);
    expect(await take(store, 209)).toEqual([]);
    expect(await store.write((tx) => queue(tx).renew('k', 'a', held!.token, 400))).toBe(true);
    expect(await take(store, 399)).toEqual([]);
    expect((await take(store, 400)).map(({ payload, attempts }) => [payload, attempts])).toEqual([['p-a', 3]]);
  });

  it('gives every item to one of many that take at once', async () => {
    const { store } = await openFor(make);
    const keys = Array.from({ length: 20 }, (_, index) => `i${String(index).padStart(2, '0')}`);
    await store.write(async (tx) => {
      for (const key of keys) await queue(tx).put(item(key, 10));
    });
    const taken = (await Promise.all(keys.map(() => take(store, 10, 3)))).flat();
    expect(taken.map(({ key }) => key).toSorted()).toEqual(keys);
    expect(new Set(taken.map(({ token }) => token)).size).toBe(keys.length);
  });
};
