import { expect, it, onTestFinished } from 'vitest';
import { storeConformance, vectorConformance } from '../conformance/index.ts';
import { makeTestStore } from './testing/test-store.ts';

storeConformance('SQLite', () => makeTestStore({ durability: 'off' }));
storeConformance('SQLite with synced commits', () => makeTestStore({}));
vectorConformance('SQLite', () => makeTestStore({ durability: 'off', vectors: true }));

it('a database that holds vectors opens and deletes them without what compares them', async () => {
  const made = await makeTestStore({ durability: 'off', vectors: true });
  onTestFinished(made.dispose);
  const chunks = [{ heading: '', text: 'text', words: 'text' }];
  const place = { source: 's', kind: 'Knowledge', namespace: 'n', name: 'd', path: 'd', updatedAt: 1, pathWords: 'd' };
  const vector = Float32Array.of(1, 0);
  await made.store.write(async (tx) => {
    await tx.search.index({ ...place, chunks });
    await tx.search.addVectors('m', [
      { namespace: 'n', source: 's', ordinal: 0, path: 'd', heading: '', text: 'text', vector },
    ]);
  });
  await made.store.close();
  const plain = await made.open({ vectors: false });
  const query = { model: 'm', vector, namespaces: ['n'], found: [], limit: 5 };
  expect([plain.direct.search.vectorEngine, await plain.direct.search.nearest(query)]).toEqual([undefined, []]);
  expect(await plain.direct.search.bareDocuments('m', 5)).toBe(0);
  await plain.write((tx) => tx.search.remove('s'));
  await plain.write((tx) => tx.search.index({ ...place, source: 'other', path: 'e', chunks }));
  await plain.close();
  const again = await made.open();
  expect(await again.direct.search.nearest(query)).toEqual([]);
  expect(await again.direct.search.bareDocuments('m', 5)).toBe(1);
  await again.close();
});
