import type { DatabaseSync } from 'node:sqlite';
import { SEARCH_WORDS_FORM } from '../../../../base/index.ts';
import { indexText } from './match-expression.ts';
import { indexPath } from './path-grams.ts';

/** Name of the instance value that says in which form the words of the index are. */
const FORM = 'search.words';
/** Words as all engines cut them, each with the mark of its namespace, and the paths in parts. */
const MARKED = `${SEARCH_WORDS_FORM} marked`;

const FILL = `INSERT INTO search_words (rowid, scope, path, heading, body)
  SELECT c.row, '', index_text(d.namespace, d.path_words), index_text(d.namespace, c.heading),
    index_text(d.namespace, coalesce(c.words, c.body))
  FROM search_chunks c JOIN search_documents d ON d.row = c.document`;
const FILL_PATHS =
  'INSERT INTO search_paths (rowid, path) SELECT row, index_path(namespace, path_folded) FROM search_documents';

/** Fills the empty indexes of words and of paths from the documents that are stored. */
export const fillWords = (database: DatabaseSync): void => {
  const options = { deterministic: true };
  database.function('index_text', options, (namespace, text) => indexText(String(namespace), String(text)));
  database.function('index_path', options, (namespace, path) => indexPath(String(namespace), String(path)));
  database.exec(FILL);
  database.exec(FILL_PATHS);
};

/** Builds the index of words again when it was written in another form; else it only looks. */
export const renewWords = (database: DatabaseSync): void => {
  const found = database.prepare('SELECT value FROM instance WHERE name = ?').get(FORM);
  if (found?.['value'] === MARKED) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    for (const table of ['search_words', 'search_paths'])
      database.exec(`INSERT INTO ${table} (${table}) VALUES ('delete-all')`);
    fillWords(database);
    database
      .prepare(
        'INSERT INTO instance (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      )
      .run(FORM, MARKED);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
};
