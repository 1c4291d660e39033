// @service postgresql
import { expect, it, onTestFinished } from 'vitest';
import { openTestStore, runSql } from './testing/test-store.ts';
import { withPostgres } from './testing/with-postgres.ts';

withPostgres('the index of words', (postgres) => {
  it('is written anew when a former release wrote it in another form, once', async () => {
    const [made] = await postgres.stores(1);
    const { store, url } = made!;
    const text = 'the Straße where we refund';
    await store.write((tx) =>
      tx.search.index({
        ...{ source: 's', kind: 'Knowledge', namespace: 'n', name: 'd', path: 'd', updatedAt: 1, pathWords: 'd' },
        chunks: [{ heading: '', text, words: text }],
      }),
    );
    const found = async (): Promise<readonly string[]> => {
      const opened = await openTestStore({ url });
      onTestFinished(() => opened.store.close());
      const terms = ['refunds', 'strasse'];
      const hits = await opened.store.direct.search.match({ terms, namespaces: ['n'], limit: 5 });
      return hits.map(({ source }) => source);
    };
    // As the release before wrote it: whole words, and nothing that names a form.
    const whole = `UPDATE search_words SET vector = $1::tsvector`;
    const vector = `'#${Buffer.from('n').toString('hex')}' 'straße':12D 'where':13D 'we':14D 'refund':15D`;
    await runSql(url, whole, [vector.replace("'refund'", "'refunded'")]);
    await runSql(url, `DELETE FROM instance WHERE name = 'search.words'`);
    expect(await found()).toEqual(['s']);
    await runSql(url, whole, ["'gone':1D"]);
    expect(await found()).toEqual([]);
  });
});
