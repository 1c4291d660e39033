import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SearchDocument, SearchReads, Store } from '../contracts/index.ts';
import { type MakeStore, openFor } from './store-under-test.ts';

const document = (path: string, text: string, more: Partial<SearchDocument> = {}): SearchDocument => {
  const namespace = more.namespace ?? 'near';
  return {
    ...{ source: `${namespace}/${path}`, kind: 'Knowledge', namespace, name: path, path, updatedAt: 5 },
    ...{ pathWords: path, chunks: [{ heading: '', text, words: text }] },
    ...more,
  };
};

const store = async (make: MakeStore, documents: readonly SearchDocument[]): Promise<Store> => {
  const { store: opened } = await openFor(make);
  await opened.write(async (tx) => {
    for (const item of documents) await tx.search.index(item);
  });
  return opened;
};

const NAMESPACES = ['near', 'far'];

const found = async (search: SearchReads, terms: readonly string[], namespaces: readonly string[] = NAMESPACES) =>
  (await search.match({ terms, namespaces, limit: 10 })).map((hit) => hit.source);

const byPath = async (search: SearchReads, parts: readonly string[], namespaces: readonly string[] = NAMESPACES) =>
  (await search.matchPath({ parts, namespaces, limit: 10 })).map((hit) => hit.source);

const listed = async (search: SearchReads, more: object = {}) =>
  (await search.directory({ kind: 'Knowledge', namespaces: NAMESPACES, limit: 10, ...more })).map(
    (place) => place.source,
  );

export const searchCases = (make: MakeStore): void => {
  describe('text search', () => {
    it('finds any of the terms, whatever their case and accents, and nothing else', async () => {
      const { direct } = await store(make, [
        document('a', 'Crème brûlée costs MORE'),
        document('b', 'creme is cheap'),
        document('c', 'something else'),
      ]);
      expect((await found(direct.search, ['crème'])).sort()).toEqual(['near/a', 'near/b']);
      expect((await found(direct.search, ['more', 'cheap'])).sort()).toEqual(['near/a', 'near/b']);
      expect(await found(direct.search, ['mor'])).toEqual([]);
      expect(await found(direct.search, [])).toEqual([]);
      expect(await found(direct.search, ['crème'], [])).toEqual([]);
    });

    it('finds every form of an English word, and words whose letters are written in another way', async () => {
      const { direct } = await store(make, [
        document('a', 'how we refund a payment', { pathWords: 'billing' }),
        document('b', 'Die Straße am Łódź-Platz', { pathWords: 'places' }),
        document('c', 'nothing', { pathWords: 'Verified Policies' }),
        document('d', 'nothing', { pathWords: 'other', chunks: [{ heading: 'Refunding', text: '', words: '' }] }),
      ]);
      expect((await found(direct.search, ['refunds'])).sort()).toEqual(['near/a', 'near/d']);
      expect((await found(direct.search, ['REFUNDED'])).sort()).toEqual(['near/a', 'near/d']);
      expect(await found(direct.search, ['strasse'])).toEqual(['near/b']);
      expect(await found(direct.search, ['STRASSE'])).toEqual(['near/b']);
      expect(await found(direct.search, ['straße'])).toEqual(['near/b']);
      expect(await found(direct.search, ['lodz'])).toEqual(['near/b']);
      expect(await found(direct.search, ['policy'])).toEqual(['near/c']);
      expect(await found(direct.search, ['refunded payments', 'a payments'])).toEqual(['near/a']);
    });

    it('ranks the path above a heading and a heading above the text', async () => {
      const other = { heading: '', text: 'nothing about it here at all', words: 'nothing about it here at all' };
      const { direct } = await store(make, [
        document('body', 'refunds are mentioned in it too'),
        document('heading', '', { chunks: [{ ...other, heading: 'On refunds' }] }),
        document('refunds', '', { chunks: [other] }),
        ...['d', 'e', 'f', 'g'].map((path) => document(path, other.text)),
      ]);
      expect(await found(direct.search, ['refunds'])).toEqual(['near/refunds', 'near/heading', 'near/body']);
    });

    it('answers the best chunk of a document once, with its place and a falling score', async () => {
      const chunks = ['one word', 'word word word', 'other'].map((text) => ({ heading: 'H', text, words: text }));
      const { direct } = await store(make, [
        document('many', '', { chunks, name: 'n', updatedAt: 77 }),
        document('single', 'a word among quite a few more of them'),
        document('none', 'nothing'),
        document('nil', 'nothing'),
        document('null', 'nothing'),
      ]);
      const hits = await direct.search.match({ terms: ['word'], namespaces: NAMESPACES, limit: 10 });
      expect(hits.map((hit) => hit.source)).toEqual(['near/many', 'near/single']);
      expect(hits[0]).toMatchObject({ kind: 'Knowledge', namespace: 'near', name: 'n', path: 'many', updatedAt: 77 });
      expect(hits[0]).toMatchObject({ heading: 'H', text: 'word word word' });
      expect(hits[0]!.score).toBeGreaterThan(hits[1]!.score);
      expect(hits[1]!.score).toBeGreaterThan(0);
      expect(await direct.search.match({ terms: ['word'], namespaces: NAMESPACES, limit: 1 })).toHaveLength(1);
    });

    it('sees a document in the transaction that stores it, and none of one undone', async () => {
      const opened = await store(make, []);
      await opened.write(async (tx) => {
        await tx.search.index(document('a', 'word'));
        expect(await found(tx.search, ['word'])).toEqual(['near/a']);
      });
      const undone = opened.write(async (tx) => {
        await tx.search.index(document('b', 'word'));
        await tx.search.remove('near/a');
        throw new Error('undo');
      });
      await expect(undone).rejects.toThrow('undo');
      expect(await found(opened.direct.search, ['word'])).toEqual(['near/a']);
    });

    it('puts a document in place of the former one of its source, and forgets what is removed', async () => {
      const opened = await store(make, [document('a', 'old'), document('b', 'old')]);
      await opened.write(async (tx) => {
        await tx.search.index(document('moved', 'new', { source: 'near/a' }));
        await tx.search.remove('near/b');
        await tx.search.remove('near/unknown');
      });
      expect(await found(opened.direct.search, ['old'])).toEqual([]);
      expect(await found(opened.direct.search, ['a'])).toEqual([]);
      expect(await found(opened.direct.search, ['new'])).toEqual(['near/a']);
      expect(await listed(opened.direct.search)).toEqual(['near/a']);
    });

    it('keeps to its namespaces, and hides a path that a nearer one holds, even where that does not match', async () => {
      const { direct } = await store(make, [
        document('a', 'word', { namespace: 'far' }),
        document('b', 'word', { namespace: 'far' }),
        document('a', 'silent'),
        document('b', 'word', { source: 'file', kind: 'File' }),
        document('c', 'word', { namespace: 'foreign' }),
      ]);
      expect((await found(direct.search, ['word'])).sort()).toEqual(['far/b', 'file']);
      expect((await found(direct.search, ['word'], ['far'])).sort()).toEqual(['far/a', 'far/b']);
      expect(await found(direct.search, ['word'], ['far', 'near'])).toHaveLength(3);
      expect(await byPath(direct.search, ['a'])).toEqual(['near/a']);
      expect(await listed(direct.search)).toEqual(['near/a', 'far/b']);
    });

    it('finds documents by parts of their path, shortest first, with their first chunk', async () => {
      const chunks = ['first', 'second'].map((text) => ({ heading: '', text, words: text }));
      const { direct } = await store(make, [
        document('guides/Refund-Policy.md', '', { chunks }),
        document('refund.md', ''),
        document('100%_done', ''),
      ]);
      expect(await byPath(direct.search, ['REFUND'])).toEqual(['near/refund.md', 'near/guides/Refund-Policy.md']);
      expect(await byPath(direct.search, ['policy', 'guides'])).toEqual(['near/guides/Refund-Policy.md']);
      expect(await byPath(direct.search, ['%_'])).toEqual(['near/100%_done']);
      expect(await byPath(direct.search, ['%'])).toEqual(['near/100%_done']);
      expect(await byPath(direct.search, ['policy', 'absent'])).toEqual([]);
      expect(await byPath(direct.search, [])).toEqual([]);
      const [hit] = await direct.search.matchPath({ parts: ['policy'], namespaces: NAMESPACES, limit: 1 });
      expect(hit).toMatchObject({ text: 'first', score: 0 });
    });

    it('takes every character of a part of a path literally', async () => {
      const paths = ['a_b', 'a%b', 'a\\b', 'axb', "a'b", 'a*b'];
      const { direct } = await store(
        make,
        paths.map((path) => document(path, 'text')),
      );
      const found = async (parts: readonly string[]) =>
        (await direct.search.matchPath({ parts, namespaces: ['near'], limit: 10 })).map(({ path }) => path);
      for (const path of paths) expect([path, await found([path])]).toEqual([path, [path]]);
      for (const part of ['_', '%', '\\', "'", '*']) expect(await found(['a', part])).toEqual([`a${part}b`]);
    });

    it('lists documents by namespace and path, page by page, whole or by the end of their path', async () => {
      const { direct } = await store(make, [
        document('b/Read.md', ''),
        document('a', ''),
        document('z', '', { namespace: 'far' }),
        document('c/read.md', '', { namespace: 'far' }),
        document('spread.md', '', { namespace: 'far' }),
        document('a', '', { source: 'file', kind: 'File' }),
      ]);
      expect(await listed(direct.search)).toEqual([
        'near/a',
        'near/b/Read.md',
        'far/c/read.md',
        'far/spread.md',
        'far/z',
      ]);
      const after = { namespace: 'near', path: 'a' };
      expect(await listed(direct.search, { after, limit: 2 })).toEqual(['near/b/Read.md', 'far/c/read.md']);
      expect(await listed(direct.search, { after: { namespace: 'far', path: 'spread.md' } })).toEqual(['far/z']);
      expect(await listed(direct.search, { after: { namespace: 'gone', path: 'a' } })).toEqual([]);
      expect(await listed(direct.search, { path: 'z' })).toEqual(['far/z']);
      expect(await listed(direct.search, { path: 'Z' })).toEqual([]);
      expect(await listed(direct.search, { suffix: 'READ.md' })).toEqual(['near/b/Read.md', 'far/c/read.md']);
      expect(await listed(direct.search, { suffix: 'C/Read.MD' })).toEqual(['far/c/read.md']);
      expect(await listed(direct.search, { kind: 'File' })).toEqual(['file']);
    });

    it('takes any text as a term, a part or a namespace without an error', async () => {
      const { direct } = await store(make, [document('a', 'word')]);
      const text = fc.oneof(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.constantFrom(
          '"',
          '""',
          "'",
          '*',
          'a*',
          '^a',
          'NEAR(a b)',
          'a AND',
          'OR',
          'NOT',
          'path : a',
          '{',
          '(',
          '\0',
          '--',
          ';',
          'a\0b',
          '😀',
          '\ud800',
        ),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(text, { maxLength: 4 }), async (texts) => {
          await found(direct.search, texts, ['near', ...texts]);
          await byPath(direct.search, texts, ['near', ...texts]);
          await listed(direct.search, { suffix: texts.join('/'), path: texts[0] ?? '' });
        }),
        { numRuns: 200 },
      );
      expect(await found(direct.search, ['"', 'word', '*)'])).toEqual(['near/a']);
    });

    it('leaves nothing behind of a document, whatever it held', async () => {
      const { store: opened } = await openFor(make);
      const text = fc.string({ unit: 'binary', maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(text, text, text, async (heading, body, path) => {
          const chunk = { heading, text: body, words: `${body} needle` };
          await opened.write((tx) => tx.search.index(document('a', '', { pathWords: path, chunks: [chunk, chunk] })));
          expect(await found(opened.direct.search, ['needle'])).toEqual(['near/a']);
          await opened.write((tx) => tx.search.index(document('b', 'other', { source: 'near/a' })));
          expect(await found(opened.direct.search, ['needle'])).toEqual([]);
          await opened.write((tx) => tx.search.remove('near/a'));
          expect(await found(opened.direct.search, ['needle', 'other', 'b'])).toEqual([]);
        }),
        { numRuns: 60 },
      );
    });

    it('finds what it found before after it was opened again', async () => {
      const made = await openFor(make);
      await made.store.write((tx) => tx.search.index(document('a', 'word')));
      const reopened = await made.reopen();
      expect(await found(reopened.direct.search, ['word'])).toEqual(['near/a']);
    });
  });
};
