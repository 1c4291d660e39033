import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { ManualClock, seededRandom, silentLog } from '../../../../base/index.ts';
import { openSqliteStore } from '../../index.ts';

it('builds an index anew that a former release wrote in another form, once', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-words-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const open = () =>
    openSqliteStore({
      ...{ dataDir, clock: new ManualClock(), random: seededRandom(1), log: silentLog, durability: 'off' },
      fatal: (error) => {
        throw error;
      },
    });
  const text = 'the Straße where we refund';
  const store = await open();
  await store.write((tx) =>
    tx.search.index({
      ...{ source: 's', kind: 'Knowledge', namespace: 'n', name: 'd', path: 'd', updatedAt: 1, pathWords: 'd' },
      chunks: [{ heading: '', text, words: text }],
    }),
  );
  await store.close();
  const edit = (change: (database: DatabaseSync) => void): void => {
    const database = new DatabaseSync(join(dataDir, 'svc.db'));
    change(database);
    database.close();
  };
  // As the release before wrote it: whole words, and nothing that names a form.
  edit((database) => {
    const { row } = database.prepare('SELECT row FROM search_chunks').get() ?? {};
    database.exec(`INSERT INTO search_words (search_words) VALUES ('delete-all')`);
    database
      .prepare('INSERT INTO search_words (rowid, scope, path, heading, body) VALUES (?,?,?,?,?)')
      .run(Number(row), `n${Buffer.from('n').toString('hex')}`, 'd', '', text);
    database.exec(`DELETE FROM instance WHERE name = 'search.words'`);
  });
  const found = async (): Promise<readonly string[]> => {
    const opened = await open();
    const hits = await opened.direct.search.match({ terms: ['refunds', 'strasse'], namespaces: ['n'], limit: 5 });
    await opened.close();
    return hits.map(({ source }) => source);
  };
  expect(await found()).toEqual(['s']);
  edit((database) => database.exec(`INSERT INTO search_words (search_words) VALUES ('delete-all')`));
  expect(await found()).toEqual([]);
});
