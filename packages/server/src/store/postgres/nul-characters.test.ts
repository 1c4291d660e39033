// @service postgresql
import { expect, it } from 'vitest';
import { draft, id, key, message, session } from '../conformance/index.ts';
import { withPostgres } from './testing/with-postgres.ts';

const NUL = 'a\0b\u{e000}0';

withPostgres('texts with a NUL on PostgreSQL', (postgres) => {
  it('come back as they were, and are found under what holds them', async () => {
    const [made] = await postgres.stores(1);
    const { store } = made!;
    const resource = draft(key(NUL, { namespace: NUL }), {
      ...{ labels: { [NUL]: NUL }, annotations: { note: NUL }, spec: JSON.stringify({ text: NUL }), status: NUL },
      ...{ finalizers: [NUL] },
    });
    const stored = await store.write(async (tx) => {
      await tx.log.insertSession(session(id(1), { body: NUL, agent: NUL }));
      await tx.log.insertMessage(message(id(1), id(2), { parts: NUL }));
      await tx.log.appendJournal([{ turnId: NUL, index: 0, kind: 'PARK', at: 1, body: NUL }]);
      await tx.queue.put({ kind: NUL, key: NUL, dueAt: 1, attempts: 0, payload: NUL });
      await tx.instance.setValue(NUL, NUL);
      await tx.search.index({
        ...{ source: NUL, kind: 'Knowledge', namespace: NUL, name: NUL, path: NUL, updatedAt: 1, pathWords: NUL },
        chunks: [{ heading: NUL, text: `${NUL} needle`, words: `${NUL} needle` }],
      });
      return tx.resources.insert(resource);
    });
    const { direct } = store;
    expect(await direct.resources.get(resource.key)).toEqual(stored);
    expect((await direct.resources.changes(0, 1))[0]?.resource).toEqual(stored);
    expect((await direct.resources.list({ scope: { type: 'namespaces', namespaces: [NUL] }, limit: 9 }))[0]).toEqual(
      stored,
    );
    expect((await direct.log.sessions({ namespace: 'default', agent: NUL, limit: 1 }))[0]?.body).toBe(NUL);
    expect((await direct.log.message(id(1), id(2)))?.parts).toBe(NUL);
    expect((await direct.log.journal(NUL))[0]?.body).toBe(NUL);
    expect(await direct.instance.value(NUL)).toBe(NUL);
    const [taken] = await store.write((tx) => tx.queue.take([NUL], 1, 1, 1));
    expect([taken?.key, taken?.payload]).toEqual([NUL, NUL]);
    const [hit] = await direct.search.match({ terms: ['needle'], namespaces: [NUL], limit: 1 });
    expect([hit?.source, hit?.text]).toEqual([NUL, `${NUL} needle`]);
    expect((await direct.search.matchPath({ parts: [NUL], namespaces: [NUL], limit: 1 }))[0]?.path).toBe(NUL);
    await expect(store.write((tx) => tx.resources.remove(resource.key, stored.version))).resolves.toMatchObject({
      spec: resource.spec,
    });
  });
});
