import type { SearchDocument } from '../../../contracts/index.ts';
import type { Connection, Statement } from '../../connection.ts';
import { indexText, scopeToken } from './match-expression.ts';

const FIND = 'SELECT row, namespace, path_words FROM search_documents WHERE source = ?';
const CHUNKS = 'SELECT row, heading, coalesce(words, body) AS words FROM search_chunks WHERE document = ?';
const DROP_WORDS = `INSERT INTO search_words (search_words, rowid, scope, path, heading, body) VALUES ('delete',?,?,?,?,?)`;
const DROP_CHUNKS = 'DELETE FROM search_chunks WHERE document = ?';
const DROP_DOCUMENT = 'DELETE FROM search_documents WHERE row = ?';
const ADD_DOCUMENT = `INSERT INTO search_documents (source, kind, namespace, name, path, path_folded, path_words, updated_at)
  VALUES (?,?,?,?,?,?,?,?)`;
const ADD_CHUNK = 'INSERT INTO search_chunks (document, ordinal, heading, body, words) VALUES (?,?,?,?,?)';
const ADD_WORDS = 'INSERT INTO search_words (rowid, scope, path, heading, body) VALUES (?,?,?,?,?)';

/** Stores and drops whole documents. */
export class SearchWriteTable {
  readonly #find: Statement<{ readonly row: number; readonly namespace: string; readonly path_words: string }>;
  readonly #chunks: Statement<{ readonly row: number; readonly heading: string; readonly words: string }>;
  readonly #dropWords: Statement;
  readonly #drop: readonly Statement[];
  readonly #addDocument: Statement;
  readonly #addChunk: Statement;
  readonly #addWords: Statement;

  constructor(connection: Connection) {
    this.#find = connection.statement(FIND);
    this.#chunks = connection.statement(CHUNKS);
    this.#dropWords = connection.statement(DROP_WORDS);
    this.#drop = [DROP_CHUNKS, DROP_DOCUMENT].map((sql) => connection.statement(sql));
    this.#addDocument = connection.statement(ADD_DOCUMENT);
    this.#addChunk = connection.statement(ADD_CHUNK);
    this.#addWords = connection.statement(ADD_WORDS);
  }

  index(document: SearchDocument): void {
    this.remove(document.source);
    const { source, kind, namespace, name, path, pathWords, updatedAt } = document;
    const paths = [path, path.toLowerCase(), pathWords];
    const row = this.#addDocument.insert(source, kind, namespace, name, ...paths, updatedAt);
    const scope = scopeToken(namespace);
    document.chunks.forEach(({ heading, text, words }, ordinal) => {
      const chunk = this.#addChunk.insert(row, ordinal, heading, text, words === text ? null : words);
      this.#addWords.run(chunk, scope, ...[pathWords, heading, words].map(indexText));
    });
  }

  remove(source: string): void {
    const found = this.#find.get(source);
    if (found === undefined) return;
    const scope = scopeToken(found.namespace);
    for (const { row, heading, words } of this.#chunks.all(found.row))
      this.#dropWords.run(row, scope, ...[found.path_words, heading, words].map(indexText));
    for (const statement of this.#drop) statement.run(found.row);
  }
}
