import type {
  DirectoryQuery,
  SearchDocument,
  SearchHit,
  SearchReads,
  SearchScope,
  SearchWrites,
} from '../../../contracts/index.ts';
import { type SearchHitSqlRow, type SearchPlaceSqlRow, toSearchHit, toSearchPlace } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { type Connection, LIMIT, sql } from '../../connection.ts';
import { indexText, matchExpression, scopeToken } from './match-expression.ts';

/** Most chunks weighed for one search; more than one may belong to a document. */
const CANDIDATES = 1_000;

/** No document of the same kind and path in a namespace that comes before; ?1 lists the namespaces, nearest first. */
const VISIBLE = `NOT EXISTS (SELECT 1 FROM json_each(?1) AS near JOIN search_documents AS other
  ON other.namespace = near.value AND other.kind = d.kind AND other.path = d.path WHERE near.key < e.key)`;
const PLACE = 'd.source, d.kind, d.namespace, d.name, d.path, d.updated_at';

/** Weights: scope, path, heading, body. A title counts more than a mention. */
const MATCH = sql<{ readonly chunk: number; readonly score: number }>(
  `SELECT rowid AS chunk, -rank AS score FROM search_words
   WHERE search_words MATCH ? AND rank MATCH 'bm25(0.0, 8.0, 3.0, 1.0)' ORDER BY rank LIMIT ${CANDIDATES}`,
);
const CHUNK = sql<SearchHitSqlRow>(
  `SELECT ${PLACE}, c.heading, c.body FROM search_chunks AS c JOIN search_documents AS d ON d.row = c.document
   JOIN json_each(?1) AS e ON e.value = d.namespace WHERE c.row = ?2 AND ${VISIBLE}`,
);
const BY_PATH = sql<SearchHitSqlRow>(
  `SELECT ${PLACE}, c.heading, c.body FROM json_each(?1) AS e
   JOIN search_documents AS d ON d.namespace = e.value
   JOIN search_chunks AS c ON c.document = d.row AND c.ordinal = 0
   WHERE NOT EXISTS (SELECT 1 FROM json_each(?2) AS part WHERE instr(d.path_folded, part.value) = 0) AND ${VISIBLE}
   ORDER BY length(d.path), d.path, e.key ${LIMIT.replace('?', '?3')}`,
);
/** Documents of one namespace in the order of the index; ?3 lists the nearer namespaces. */
const directory = (condition = '') =>
  sql<SearchPlaceSqlRow>(
    `SELECT ${PLACE} FROM search_documents AS d
     WHERE d.namespace = ?1 AND d.kind = ?2 AND d.path > ?4 ${condition}
     AND (?5 IS NULL OR d.path_folded = ?5 OR substr(d.path_folded, -length(?5) - 1) = '/' || ?5)
     AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS near JOIN search_documents AS other
       ON other.namespace = near.value AND other.kind = d.kind AND other.path = d.path)
     ORDER BY d.path ${LIMIT.replace('?', '?6')}`,
  );
const DIRECTORY = directory();
const DIRECTORY_AT = directory('AND d.path = ?7');

const FIND = sql<{ readonly row: number; readonly namespace: string; readonly path_words: string }>(
  'SELECT row, namespace, path_words FROM search_documents WHERE source = ?',
);
const CHUNKS = sql<{ readonly row: number; readonly heading: string; readonly words: string }>(
  'SELECT row, heading, coalesce(words, body) AS words FROM search_chunks WHERE document = ?',
);
const DROP_WORDS = sql(
  `INSERT INTO search_words (search_words, rowid, scope, path, heading, body) VALUES ('delete',?,?,?,?,?)`,
);
const DROP_CHUNKS = sql('DELETE FROM search_chunks WHERE document = ?');
const DROP_DOCUMENT = sql('DELETE FROM search_documents WHERE row = ?');
const ADD_DOCUMENT = sql(
  `INSERT INTO search_documents (source, kind, namespace, name, path, path_folded, path_words, updated_at)
   VALUES (?,?,?,?,?,?,?,?)`,
);
const ADD_CHUNK = sql('INSERT INTO search_chunks (document, ordinal, heading, body, words) VALUES (?,?,?,?,?)');
const ADD_WORDS = sql('INSERT INTO search_words (rowid, scope, path, heading, body) VALUES (?,?,?,?,?)');

/** `SearchReads` over one connection: by words, by path and by place. */
export class SearchReadHandle implements SearchReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async match(query: SearchScope & { readonly terms: readonly string[] }) {
    this.#access.enter();
    const { connection } = this.#access;
    const expression = matchExpression(query.terms, query.namespaces);
    const found = new Map<string, SearchHit>();
    if (expression === undefined) return this.#access.leave([]);
    const namespaces = JSON.stringify(query.namespaces);
    for (const { chunk, score } of connection.of(MATCH).all(expression)) {
      if (found.size >= query.limit) break;
      const row = connection.of(CHUNK).get(namespaces, chunk);
      if (row !== undefined && !found.has(row.source)) found.set(row.source, toSearchHit(row, score));
    }
    return this.#access.leave([...found.values()]);
  }

  async matchPath(query: SearchScope & { readonly parts: readonly string[] }) {
    this.#access.enter();
    const parts = query.parts.map((part) => part.toLowerCase());
    if (parts.length === 0) return this.#access.leave([]);
    const values = [JSON.stringify(query.namespaces), JSON.stringify(parts), query.limit];
    const rows = this.#access.connection.of(BY_PATH).all(...values);
    return this.#access.leave(rows.map((row) => toSearchHit(row, 0)));
  }

  async directory(query: DirectoryQuery) {
    this.#access.enter();
    return this.#access.leave(placesOf(this.#access.connection, query).map(toSearchPlace));
  }
}

const placesOf = (connection: Connection, query: DirectoryQuery): readonly SearchPlaceSqlRow[] => {
  const { namespaces, kind, after, path, suffix, limit } = query;
  const start = after === undefined ? 0 : namespaces.indexOf(after.namespace);
  if (start < 0) return [];
  const found: SearchPlaceSqlRow[] = [];
  for (let index = start; index < namespaces.length && found.length < limit; index++) {
    const [namespace = '', nearer] = [namespaces[index], JSON.stringify(namespaces.slice(0, index))];
    const from = after !== undefined && index === start ? after.path : '';
    const values = [namespace, kind, nearer, from, suffix?.toLowerCase() ?? null, limit - found.length];
    const rows =
      path === undefined ? connection.of(DIRECTORY).all(...values) : connection.of(DIRECTORY_AT).all(...values, path);
    found.push(...rows);
  }
  return found;
};

/** `SearchWrites` inside one write transaction: whole documents. */
export class SearchWriteHandle extends SearchReadHandle implements SearchWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  async index(document: SearchDocument) {
    this.#access.change();
    const { connection } = this.#access;
    removeDocument(connection, document.source);
    const { source, kind, namespace, name, path, pathWords, updatedAt } = document;
    const paths = [path, path.toLowerCase(), pathWords];
    const row = connection.of(ADD_DOCUMENT).insert(source, kind, namespace, name, ...paths, updatedAt);
    const scope = scopeToken(namespace);
    document.chunks.forEach(({ heading, text, words }, ordinal) => {
      const chunk = connection.of(ADD_CHUNK).insert(row, ordinal, heading, text, words === text ? null : words);
      connection.of(ADD_WORDS).run(chunk, scope, ...[pathWords, heading, words].map(indexText));
    });
  }

  async remove(source: string) {
    this.#access.change();
    removeDocument(this.#access.connection, source);
  }
}

const removeDocument = (connection: Connection, source: string): void => {
  const found = connection.of(FIND).get(source);
  if (found === undefined) return;
  const scope = scopeToken(found.namespace);
  for (const { row, heading, words } of connection.of(CHUNKS).all(found.row))
    connection.of(DROP_WORDS).run(row, scope, ...[found.path_words, heading, words].map(indexText));
  for (const drop of [DROP_CHUNKS, DROP_DOCUMENT]) connection.of(drop).run(found.row);
};
