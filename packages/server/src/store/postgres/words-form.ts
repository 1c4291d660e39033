import { SEARCH_WORDS_FORM } from '../../base/index.ts';
import { composed, type Session } from './connection/index.ts';
import { type ADD_WORDS, chunkVector, RENEW_WORDS } from './tables/index.ts';

/** Name of the instance value that says in which form the words of the index are. */
const FORM = 'search.words';
const FORM_VALUE = composed<{ value: string }>('SELECT value FROM instance WHERE name = $1');
const SET_FORM = composed(
  'INSERT INTO instance (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
);

interface ChunkRow {
  readonly row: number;
  readonly namespace: string;
  readonly path_words: string;
  readonly heading: string;
  readonly words: string;
}

/** Chunks whose words are cut in one go. */
const BATCH_CHUNKS = 200;
const CHUNKS = composed<ChunkRow>(
  `SELECT c.row, d.namespace, d.path_words, c.heading, coalesce(c.words, c.body) AS words
     FROM search_chunks c JOIN search_documents d ON d.row = c.document WHERE c.row > $1 ORDER BY c.row LIMIT ${BATCH_CHUNKS}`,
);

/** Cuts the words of every stored chunk and writes them by the statement. */
export const fillWords = async (sql: Pick<Session, 'rows' | 'run'>, write: typeof ADD_WORDS): Promise<void> => {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const chunks: readonly ChunkRow[] = await sql.rows(CHUNKS, [last]);
    const vectors = chunks.map((chunk) =>
      chunkVector({ namespace: chunk.namespace, pathWords: chunk.path_words }, chunk),
    );
    await sql.run(write, [chunks.map(({ row }) => row), vectors]);
    last = chunks.at(-1)?.row;
  }
};

/** Says that the words are in the form of this release. */
export const noteForm = async (sql: Pick<Session, 'run'>): Promise<void> => {
  await sql.run(SET_FORM, [FORM, SEARCH_WORDS_FORM]);
};

/**
 * Writes the words of all chunks again when the index was written in another form; else it only looks. Several nodes may do it at
 * once: all write the same.
 */
export const renewWords = async (sql: Pick<Session, 'rows' | 'run'>): Promise<void> => {
  const [found] = await sql.rows(FORM_VALUE, [FORM]);
  if (found?.value === SEARCH_WORDS_FORM) return;
  await fillWords(sql, RENEW_WORDS);
  await noteForm(sql);
};
