import type { DatabaseSync } from 'node:sqlite';
import { SEARCH_WORDS_FORM } from '../../../../base/index.ts';
import { indexText, scopeToken } from './match-expression.ts';

/** Name of the instance value that says in which form the words of the index are. */
const FORM = 'search.words';

const FILL = `INSERT INTO search_words (rowid, scope, path, heading, body)
  SELECT c.row, scope_token(d.namespace), index_text(d.path_words), index_text(c.heading), index_text(coalesce(c.words, c.body))
  FROM search_chunks c JOIN search_documents d ON d.row = c.document`;

/** Fills the empty index of words from the chunks that are stored. */
export const fillWords = (database: DatabaseSync): void => {
  const options = { deterministic: true };
  database.function('scope_token', options, (namespace) => scopeToken(String(namespace)));
  database.function('index_text', options, (text) => indexText(String(text)));
  database.exec(FILL);
};

/** Builds the index of words again when it was written in another form; else it only looks. */
export const renewWords = (database: DatabaseSync): void => {
  const found = database.prepare('SELECT value FROM instance WHERE name = ?').get(FORM);
  if (found?.['value'] === SEARCH_WORDS_FORM) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    database.exec(`INSERT INTO search_words (search_words) VALUES ('delete-all')`);
    fillWords(database);
    database
      .prepare(
        'INSERT INTO instance (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      )
      .run(FORM, SEARCH_WORDS_FORM);
    database.exec('COMMIT');
  } catch (error) {
    database.exec('ROLLBACK');
    throw error;
  }
};
