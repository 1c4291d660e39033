// @service postgresql
import { expect, it } from 'vitest';
import { runSql } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

/** 1,100 documents that hold one word each, as storing them makes them. */
const MANY = (word: string): string => `
  WITH added AS (INSERT INTO search_documents (source, kind, namespace, name, path, path_folded, path_words, updated_at)
    SELECT '${word}-' || i, 'Knowledge', 'n', '${word}-' || i, '${word}-' || i, '${word}-' || i, '', i
    FROM generate_series(1, 1100) AS i RETURNING row),
  chunks AS (INSERT INTO search_chunks (document, ordinal, heading, body, words)
    SELECT row, 0, '', '${word}', NULL FROM added RETURNING row)
  INSERT INTO search_words (chunk, vector) SELECT row, '''#6e'' ''${word}'':1'::tsvector FROM chunks`;

withPostgres('words that very many chunks hold', (postgres) => {
  it('are weighed in some of them; chunks with rarer words, or with all words, are always found', async () => {
    const [made] = await postgres.stores(1);
    const { url, store } = made!;
    for (const word of ['common', 'plain']) await runSql(url, MANY(word));
    const add = (source: string, text: string) =>
      store.write((tx) =>
        tx.search.index({
          source,
          kind: 'Knowledge',
          namespace: 'n',
          name: source,
          path: source,
          updatedAt: 1,
          pathWords: '',
          chunks: [{ heading: '', text, words: text }],
        }),
      );
    await add('rare', 'common seldom');
    await add('both', 'common plain');
    await add('best', 'common common common common');
    const found = async (...terms: string[]) =>
      (await store.direct.search.match({ namespaces: ['n'], terms, limit: 5 })).map(({ source }) => source);
    expect((await found('common', 'seldom'))[0]).toBe('rare');
    expect((await found('common', 'plain'))[0]).toBe('both');
    expect(await found('common', 'plain', 'nowhere')).not.toContain('rare');
    // Behind the first thousand, where it is not read.
    expect(await found('common')).not.toContain('best');
    expect(await found('common')).toHaveLength(5);
  });
});
