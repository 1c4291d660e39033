import { describe, expect, it } from 'vitest';
import { artifactHolder } from '../contracts/index.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

/** Artifacts of sessions. */
export const artifactCases = (make: MakeStore): void => {
  describe('artifacts', () => {
    const row = (id: string, sessionId = 's', body = '{}') => ({ id, sessionId, body });

    it('are listed newest first, in pages, by session', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        for (const each of [row('a'), row('c'), row('b'), row('d', 'other')]) await tx.artifacts.put(each);
        await tx.artifacts.put(row('b', 's', '{"x":1}'));
      });
      const ids = async (before: string | undefined, limit: number) =>
        (
          await store.direct.artifacts.page(
            'ofSession',
            { sessionId: 's' },
            { after: before === undefined ? undefined : { id: before }, limit },
          )
        ).map((each) => each.id);
      expect([await ids(undefined, 2), await ids('b', 2), await ids(undefined, 9)]).toEqual([
        ['c', 'b'],
        ['a'],
        ['c', 'b', 'a'],
      ]);
      expect(await store.direct.artifacts.get({ id: 'b' })).toEqual(row('b', 's', '{"x":1}'));
      await store.write((tx) => tx.artifacts.remove({ id: 'b' }));
      expect(await store.direct.artifacts.get({ id: 'b' })).toBeUndefined();
    });

    it('go with their session, and let go of their bytes', async () => {
      const { store } = await openFor(make);
      await store.write(async (tx) => {
        await tx.artifacts.put(row('a'));
        await tx.artifacts.put(row('b', 'other'));
        const object = { namespace: 'n', sha256: 'x', sizeBytes: 1, mediaType: '', at: 1 };
        await tx.objects.addReference({ ...object, holder: artifactHolder('a') });
        await tx.log.deleteSession('s');
      });
      const ofSession = (sessionId: string) => store.direct.artifacts.page('ofSession', { sessionId }, { limit: 9 });
      expect(await ofSession('s')).toEqual([]);
      expect(await ofSession('other')).toHaveLength(1);
      expect(await store.direct.objects.hasReference('n', 'x')).toBe(false);
    });
  });
};
