import { describe, expect, it } from 'vitest';
import type { BareChunk, SearchDocument, SearchReads, Store } from '../contracts/index.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

const MODEL = 'demo/words';
const NAMESPACES = ['near', 'far'];

const document = (path: string, texts: readonly string[], more: Partial<SearchDocument> = {}): SearchDocument => {
  const namespace = more.namespace ?? 'near';
  return {
    source: `${namespace}/${path}`,
    kind: 'Knowledge',
    namespace,
    name: path,
    path,
    updatedAt: 5,
    pathWords: path,
    chunks: texts.map((text) => ({ heading: 'H', text, words: text })),
    ...more,
  };
};

/** A vector of unit length that turns from the first axis to the second one. */
const angle = (degrees: number, length = 4): Float32Array => {
  const vector = new Float32Array(length);
  for (let index = 0; index < length; index++)
    vector[index] = index % 2 === 0 ? Math.cos((degrees * Math.PI) / 180) : Math.sin((degrees * Math.PI) / 180);
  const size = Math.hypot(...vector);
  return vector.map((value) => value / size);
};

/** Gives every chunk that waits the vector of the angle that its text names. */
const embed = async (store: Store, more: { readonly model?: string; readonly length?: number } = {}) => {
  const { model = MODEL, length = 4 } = more;
  const bare = await store.direct.search.bareChunks({ model, limit: 100, except: [] });
  await store.write((tx) =>
    tx.search.addVectors(
      model,
      bare.map((chunk) => ({ ...chunk, vector: angle(Number(chunk.text), length) })),
    ),
  );
  return bare;
};

const nearest = (search: SearchReads, degrees: number, more: object = {}) =>
  search.nearest({ model: MODEL, vector: angle(degrees), namespaces: NAMESPACES, found: [], limit: 10, ...more });

const sources = async (found: ReturnType<SearchReads['nearest']>): Promise<readonly string[]> =>
  (await found).map(({ source }) => source);

const open = async (make: MakeStore, documents: readonly SearchDocument[]): Promise<Store> => {
  const { store } = await openFor(make);
  await store.write(async (tx) => {
    for (const each of documents) await tx.search.index(each);
  });
  return store;
};

/** What engines that keep vectors make of them; `make` opens one. */
export const vectorConformance = (engine: string, make: MakeStore): void => {
  describe(`vectors on ${engine}`, () => {
    it('find the nearest chunk of each document, nearest first, and only in the namespaces that are asked for', async () => {
      const store = await open(make, [
        document('a', ['0', '40']),
        document('b', ['20']),
        document('b', ['10'], { namespace: 'far' }),
        document('c', ['30'], { namespace: 'far' }),
        document('d', ['5'], { namespace: 'foreign' }),
      ]);
      await embed(store);
      const { search } = store.direct;
      expect(search.vectorEngine).toMatch(/sqlite-vec|SQL|pgvector/);
      const found = await nearest(search, 33);
      expect(found.map(({ source, text }) => [source, text])).toEqual([
        ['far/c', '30'],
        ['near/a', '40'],
        ['near/b', '20'],
      ]);
      expect(found[0]?.score).toBeCloseTo(Math.cos((3 * Math.PI) / 180), 4);
      expect(found[0]).toMatchObject({ kind: 'Knowledge', name: 'c', path: 'c', heading: 'H', updatedAt: 5 });
      expect(await sources(nearest(search, 33, { limit: 1 }))).toEqual(['far/c']);
      expect(await sources(nearest(search, 33, { found: ['near/b'], namespaces: ['near'] }))).toEqual([
        'near/a',
        'near/b',
      ]);
      expect(await sources(nearest(search, 33, { namespaces: [] }))).toEqual([]);
    });

    it('of another model or another length take no part', async () => {
      const store = await open(make, [document('a', ['0'])]);
      await embed(store);
      expect(await sources(nearest(store.direct.search, 0, { model: 'demo/other' }))).toEqual([]);
      expect(await sources(nearest(store.direct.search, 0, { vector: angle(0, 8) }))).toEqual([]);
      expect(await sources(nearest(store.direct.search, 0))).toEqual(['near/a']);
    });

    it('as long as those of large models are compared as well', async () => {
      const texts = Array.from({ length: 12 }, (_, index) => String(index * 7));
      const store = await open(
        make,
        texts.map((text) => document(`d${text}`, [text])),
      );
      await embed(store, { length: 1_536 });
      const found = await nearest(store.direct.search, 43, { vector: angle(43, 1_536), limit: 2 });
      expect(found.map(({ text }) => text)).toEqual(['42', '49']);
    });

    it('are missing until they are added, chunk by chunk, and again for another model', async () => {
      const store = await open(make, [document('a', ['0', '10']), document('b', ['20'])]);
      const { search } = store.direct;
      const bare = async (model: string, more: object = {}) =>
        (await search.bareChunks({ model, limit: 10, except: [], ...more })).map(({ text }) => text).sort();
      expect(await bare(MODEL)).toEqual(['0', '10', '20']);
      expect(await bare(MODEL, { limit: 1 })).toHaveLength(1);
      expect(await bare(MODEL, { except: ['near/a'] })).toEqual(['20']);
      expect(await search.bareDocuments(MODEL, 10)).toBe(2);
      expect(await search.bareDocuments(MODEL, 1)).toBe(1);
      const [first] = (await search.bareChunks({ model: MODEL, limit: 10, except: ['near/b'] })) as [BareChunk];
      expect(first).toMatchObject({ source: 'near/a', path: 'a', heading: 'H' });
      await store.write((tx) => tx.search.addVectors(MODEL, [{ ...first, vector: angle(0) }]));
      expect(await bare(MODEL)).toHaveLength(2);
      expect(await search.bareDocuments(MODEL, 10)).toBe(2);
      await embed(store);
      expect([await bare(MODEL), await search.bareDocuments(MODEL, 10)]).toEqual([[], 0]);
      expect(await bare('demo/other')).toEqual(['0', '10', '20']);
      expect(await bare('a/earlier')).toEqual(['0', '10', '20']);
      await embed(store, { model: 'demo/other' });
      expect(await sources(nearest(search, 0))).toEqual([]);
      expect(await bare(MODEL)).toEqual(['0', '10', '20']);
    });

    it('of a model that another one replaced in part are missing again', async () => {
      const store = await open(make, [document('a', ['0', '10'])]);
      await embed(store);
      const { search } = store.direct;
      const [first] = (await search.bareChunks({ model: 'demo/other', limit: 1, except: [] })) as [BareChunk];
      await store.write((tx) => tx.search.addVectors('demo/other', [{ ...first, vector: angle(0) }]));
      expect([await search.bareDocuments('demo/other', 10), await search.bareDocuments(MODEL, 10)]).toEqual([1, 1]);
      expect(await embed(store)).toMatchObject([{ text: first.text }]);
      expect([await search.bareDocuments('demo/other', 10), await search.bareDocuments(MODEL, 10)]).toEqual([1, 0]);
    });

    it('go with their document, and with the text that they were made of', async () => {
      const store = await open(make, [document('a', ['0']), document('b', ['10'])]);
      await embed(store);
      await store.write(async (tx) => {
        await tx.search.remove('near/a');
        await tx.search.index(document('b', ['20']));
      });
      expect(await sources(nearest(store.direct.search, 0))).toEqual([]);
      expect(await store.direct.search.bareDocuments(MODEL, 10)).toBe(1);
      await embed(store);
      await store.write((tx) => tx.search.index(document('c', ['90'])));
      expect(await sources(nearest(store.direct.search, 0))).toEqual(['near/b']);
    });

    it('of a text that changed since it was read are not stored', async () => {
      const store = await open(make, [document('a', ['0']), document('b', ['10'])]);
      const bare = await store.direct.search.bareChunks({ model: MODEL, limit: 10, except: [] });
      await store.write(async (tx) => {
        await tx.search.index(document('a', ['50']));
        await tx.search.remove('near/b');
        await tx.search.index(document('z', ['70']));
      });
      const vectors = bare.map((chunk) => ({ ...chunk, vector: angle(0) }));
      await store.write((tx) => tx.search.addVectors(MODEL, vectors));
      expect(await sources(nearest(store.direct.search, 0))).toEqual([]);
      expect(await store.direct.search.bareDocuments(MODEL, 10)).toBe(2);
    });
  });
};
