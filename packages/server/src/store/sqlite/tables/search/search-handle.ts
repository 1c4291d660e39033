import type {
  BareQuery,
  DirectoryQuery,
  NearestQuery,
  SearchDocument,
  SearchHit,
  SearchReads,
  SearchScope,
  SearchWrites,
} from '../../../contracts/index.ts';
import { type SearchHitSqlRow, type SearchPlaceSqlRow, toSearchHit, toSearchPlace } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { type Connection, LIMIT, sql } from '../../connection.ts';
import { indexText } from './match-expression.ts';
import { indexPath, pathExpression } from './path-grams.ts';
import { bareChunks, bareDocuments, nearestChunks, putVectors } from './vector-table.ts';
import { weighedChunks } from './word-search.ts';

/** Most paths compared with one query, the newest documents first; below it every one is. */
const PATHS_MAX = 1_000;
/** Once the best chunks lead to so many documents, no worse chunks are searched for. */
const ENOUGH = 50;

interface PathSqlRow {
  readonly row: number;
  readonly namespace: string;
  readonly path: string;
  readonly path_folded: string;
}
const PLACE = 'd.source, d.kind, d.namespace, d.name, d.path, d.updated_at';

const CHUNK = sql<SearchHitSqlRow>(
  `SELECT ${PLACE}, c.heading, c.body FROM search_chunks AS c JOIN search_documents AS d ON d.row = c.document WHERE c.row = ?`,
);
const PATHS = sql<PathSqlRow>(
  `SELECT d.row, d.namespace, d.path, d.path_folded FROM (
     SELECT rowid AS row FROM search_paths WHERE search_paths MATCH ? ORDER BY rowid DESC LIMIT ${PATHS_MAX}) AS f
   JOIN search_documents AS d ON d.row = f.row`,
);
const FIRST_CHUNK = sql<SearchHitSqlRow>(
  `SELECT ${PLACE}, c.heading, c.body FROM search_documents AS d
   JOIN search_chunks AS c ON c.document = d.row AND c.ordinal = 0 WHERE d.row = ?`,
);
const HOLDS = sql<{ readonly row: number }>(
  'SELECT row FROM search_documents WHERE namespace = ? AND kind = ? AND path = ?',
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

interface FoundSqlRow {
  readonly row: number;
  readonly namespace: string;
  readonly path_folded: string;
  readonly path_words: string;
}
const FIND = sql<FoundSqlRow>('SELECT row, namespace, path_folded, path_words FROM search_documents WHERE source = ?');
const CHUNKS = sql<{ readonly row: number; readonly heading: string; readonly words: string }>(
  'SELECT row, heading, coalesce(words, body) AS words FROM search_chunks WHERE document = ?',
);
const DROP_WORDS = sql(
  `INSERT INTO search_words (search_words, rowid, scope, path, heading, body) VALUES ('delete',?,'',?,?,?)`,
);
const DROP_PATH = sql(`INSERT INTO search_paths (search_paths, rowid, path) VALUES ('delete',?,?)`);
const DROP_CHUNKS = sql('DELETE FROM search_chunks WHERE document = ?');
const DROP_DOCUMENT = sql('DELETE FROM search_documents WHERE row = ?');
const ADD_DOCUMENT = sql(
  `INSERT INTO search_documents (source, kind, namespace, name, path, path_folded, path_words, updated_at)
   VALUES (?,?,?,?,?,?,?,?)`,
);
const ADD_PATH = sql('INSERT INTO search_paths (rowid, path) VALUES (?,?)');
const ADD_CHUNK = sql('INSERT INTO search_chunks (document, ordinal, heading, body, words) VALUES (?,?,?,?,?)');
const ADD_WORDS = sql("INSERT INTO search_words (rowid, scope, path, heading, body) VALUES (?,'',?,?,?)");

/** `SearchReads` over one connection: by words, by path and by place. */
export class SearchReadHandle implements SearchReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async match(query: SearchScope & { readonly terms: readonly string[] }) {
    this.#access.enter();
    const { connection } = this.#access;
    const found = new Map<string, SearchHit>();
    for (const chunks of weighedChunks(connection, query)) {
      for (const { chunk, score } of chunks) {
        if (found.size >= query.limit) break;
        const row = connection.of(CHUNK).get(chunk);
        if (row === undefined || found.has(row.source) || !isVisible(connection, query.namespaces, row)) continue;
        found.set(row.source, toSearchHit(row, score));
      }
      if (found.size >= Math.min(query.limit, ENOUGH)) break;
    }
    return this.#access.leave([...found.values()]);
  }

  async matchPath(query: SearchScope & { readonly parts: readonly string[] }) {
    this.#access.enter();
    const { connection } = this.#access;
    const { namespaces, limit } = query;
    const parts = query.parts.map((part) => part.toLowerCase());
    if (parts.length === 0 || namespaces.length === 0) return this.#access.leave([]);
    const fitting = connection
      .of(PATHS)
      .all(pathExpression(parts, namespaces))
      .filter(
        ({ namespace, path_folded: path }) =>
          namespaces.includes(namespace) && parts.every((part) => path.includes(part)),
      )
      .sort(byLength(namespaces));
    const found: SearchHit[] = [];
    for (const { row } of fitting) {
      if (found.length >= limit) break;
      const hit = connection.of(FIRST_CHUNK).get(row);
      if (hit !== undefined && isVisible(connection, namespaces, hit)) found.push(toSearchHit(hit, 0));
    }
    return this.#access.leave(found);
  }

  get vectorEngine(): string | undefined {
    return this.#access.connection.vectorEngine;
  }

  async nearest(query: NearestQuery) {
    this.#access.enter();
    const { connection } = this.#access;
    const found = new Map<string, SearchHit>();
    for (const hit of connection.vectorEngine === undefined ? [] : nearestChunks(connection, query)) {
      if (found.size >= query.limit) break;
      if (!found.has(hit.source) && isVisible(connection, query.namespaces, hit)) found.set(hit.source, hit);
    }
    return this.#access.leave([...found.values()]);
  }

  async bareChunks(query: BareQuery) {
    this.#access.enter();
    return this.#access.leave(bareChunks(this.#access.connection, query));
  }

  async bareDocuments(model: string, limit: number) {
    this.#access.enter();
    return this.#access.leave(bareDocuments(this.#access.connection, model, limit));
  }

  async directory(query: DirectoryQuery) {
    this.#access.enter();
    return this.#access.leave(placesOf(this.#access.connection, query).map(toSearchPlace));
  }
}

/** No document of the same kind and path in a namespace that comes before. */
const isVisible = (
  connection: Connection,
  namespaces: readonly string[],
  document: Pick<SearchHit, 'namespace' | 'kind' | 'path'>,
): boolean => {
  const { namespace, kind, path } = document;
  const place = namespaces.indexOf(namespace);
  if (place < 0) return false;
  return namespaces.slice(0, place).every((near) => connection.of(HOLDS).get(near, kind, path) === undefined);
};

/** Short paths first, then by their bytes, then the nearer namespace. */
const byLength =
  (namespaces: readonly string[]) =>
  (left: PathSqlRow, right: PathSqlRow): number =>
    left.path.length - right.path.length ||
    Buffer.compare(Buffer.from(left.path), Buffer.from(right.path)) ||
    namespaces.indexOf(left.namespace) - namespaces.indexOf(right.namespace);

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
    connection.of(ADD_PATH).run(row, indexPath(namespace, path.toLowerCase()));
    document.chunks.forEach(({ heading, text, words }, ordinal) => {
      const chunk = connection.of(ADD_CHUNK).insert(row, ordinal, heading, text, words === text ? null : words);
      connection.of(ADD_WORDS).run(chunk, ...[pathWords, heading, words].map((part) => indexText(namespace, part)));
    });
  }

  async addVectors(model: string, vectors: Parameters<SearchWrites['addVectors']>[1]) {
    this.#access.change();
    putVectors(this.#access.connection, model, vectors);
  }

  async remove(source: string) {
    this.#access.change();
    removeDocument(this.#access.connection, source);
  }
}

const removeDocument = (connection: Connection, source: string): void => {
  const found = connection.of(FIND).get(source);
  if (found === undefined) return;
  const inIndex = (text: string): string => indexText(found.namespace, text);
  for (const { row, heading, words } of connection.of(CHUNKS).all(found.row))
    connection.of(DROP_WORDS).run(row, ...[found.path_words, heading, words].map(inIndex));
  connection.of(DROP_PATH).run(found.row, indexPath(found.namespace, found.path_folded));
  for (const drop of [DROP_CHUNKS, DROP_DOCUMENT]) connection.of(drop).run(found.row);
};
