// @service postgresql
import { expect, it } from 'vitest';
import { runSql } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

const BLOCKED = `SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

withPostgres('vectors on PostgreSQL that two processes work on', (postgres) => {
  it('go with a document that is replaced while they are added', async () => {
    const [made, other] = await postgres.stores(2, { vectors: true });
    const { url, store } = made!;
    const document = {
      source: 's',
      kind: 'Knowledge',
      namespace: 'n',
      name: 'd',
      path: 'd',
      updatedAt: 1,
      pathWords: 'd',
      chunks: [{ heading: '', text: 'former', words: 'former' }],
    };
    await store.write((tx) => tx.search.index(document));
    const [chunk] = await store.direct.search.bareChunks({ model: 'm', limit: 1, except: [] });
    const [isAdded, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const adding = store.write(async (tx) => {
      await tx.search.addVectors('m', [{ ...chunk!, vector: Float32Array.of(1, 0) }]);
      isAdded.resolve();
      await mayEnd.promise;
    });
    await isAdded.promise;
    const chunks = [{ heading: '', text: 'newer', words: 'newer' }];
    const replacing = other!.store.write((tx) => tx.search.index({ ...document, chunks }));
    await expect.poll(async () => (await runSql(url, BLOCKED))[0]?.['count']).toBe(1);
    mayEnd.resolve();
    await Promise.all([adding, replacing]);
    expect(await runSql(url, 'SELECT chunk FROM search_vectors')).toEqual([]);
    expect(await store.direct.search.bareChunks({ model: 'm', limit: 9, except: [] })).toMatchObject([
      { text: 'newer' },
    ]);
  });
});
