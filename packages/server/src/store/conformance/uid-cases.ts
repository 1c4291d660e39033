import { describe, expect, it } from 'vitest';
import { draft, key, type MakeStore, openFor } from './store-under-test.ts';

const UID = '01890000-0000-7000-8000-000000000001';

/** A uid that a request brings is given to one resource only. */
export const uidCases = (make: MakeStore): void => {
  describe('uids that are asked for', () => {
    it('are free until a resource has them, and stay taken after it is removed', async () => {
      const { store, clock } = await openFor(make);
      const isFree = (): Promise<boolean> => store.write((tx) => tx.resources.claimUid(UID));
      expect([await isFree(), await isFree()]).toEqual([true, true]);
      const made = await store.write(async (tx) => {
        const stored = await tx.resources.insert(draft('a', { uid: UID }));
        expect(await tx.resources.claimUid(UID)).toBe(false);
        return stored;
      });
      expect(await isFree()).toBe(false);
      await store.write((tx) => tx.resources.remove(made.key, made.version));
      expect(await isFree()).toBe(false);
      // The newest change is never dropped from the log: another one follows.
      clock.advance(1_000);
      const { updatedAt } = await store.write((tx) => tx.resources.insert(draft('b')));
      expect(await store.write((tx) => tx.resources.trimChanges(updatedAt, 10))).toBe(2);
      expect(await isFree()).toBe(true);
    });

    it('are free again when the write that took them is undone', async () => {
      const { store } = await openFor(make);
      const undo = new Error('undone');
      const write = store.write(async (tx) => {
        await tx.resources.claimUid(UID);
        await tx.resources.insert(draft('a', { uid: UID }));
        throw undo;
      });
      await expect(write).rejects.toBe(undo);
      expect(await store.write((tx) => tx.resources.claimUid(UID))).toBe(true);
    });

    it('go to one of the writers that ask at once', async () => {
      const { store } = await openFor(make);
      const names = ['a', 'b', 'c', 'd', 'e', 'f'];
      const wrote = names.map((name) =>
        store.write(async (tx) => {
          const isFree = await tx.resources.claimUid(UID);
          await tx.resources.insert(draft(name, { uid: isFree ? UID : `other-${name}` }));
          return isFree;
        }),
      );
      expect((await Promise.all(wrote)).filter(Boolean)).toHaveLength(1);
      const stored = await store.direct.resources.list({ scope: { type: 'all' }, limit: 10 });
      expect(stored.map(({ key: { name } }) => name)).toEqual(names);
      expect(stored.filter(({ uid }) => uid === UID)).toHaveLength(1);
    });

    it('may be the name of their resource as well', async () => {
      const { store } = await openFor(make);
      const named = draft(key(UID), { uid: UID });
      const stored = await store.write(async (tx) => {
        await tx.resources.claimUid(UID);
        return tx.resources.insert(named);
      });
      expect(await store.direct.resources.changes(0, 5)).toEqual([
        expect.objectContaining({ change: 'created', version: stored.version, resource: stored }),
      ]);
      const again = store.write((tx) => tx.resources.insert(named));
      await expect(again).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    });
  });
};
