import type {
  BareQuery,
  DirectoryQuery,
  NearestQuery,
  SearchDocument,
  SearchHit,
  SearchPlace,
  SearchReads,
  SearchScope,
  SearchWrites,
} from '../../../contracts/index.ts';
import { type SearchHitSqlRow, type SearchPlaceSqlRow, toSearchHit, toSearchPlace } from '../../../rows/index.ts';
import type { Access, WriteAccess } from '../../access.ts';
import { statement } from '../../connection/index.ts';
import { chunkVector, queriesOf, scopeQueryOf } from './search-words.ts';
import { bareChunks, bareDocuments, nearestChunks, putVectors } from './vector-table.ts';
import { NAMESPACES, PLACE, VISIBLE } from './visible-documents.ts';

/** Most chunks weighed for one search; more than one may belong to a document. */
const CANDIDATES = 1_000;

/** Most chunks that are read for one search because they hold any of its words, and for one of these words. */
const READ_FOR_WORDS = 4_000;
const READ_FOR_WORD = 1_000;

/**
 * Chunks to weigh: of those with all words, then of those with each of them, only so many. Reading the vectors of every chunk that holds a
 * frequent word is what takes the time. $2 namespaces, $5 all words, $6 each word, $7 chunks for each.
 */
const CHOSEN = `SELECT f.chunk FROM (SELECT chunk FROM search_words WHERE vector @@ ($2::tsquery && $5::tsquery)
    LIMIT ${CANDIDATES}) f
  UNION SELECT f.chunk FROM unnest($6::text[]) AS t (word) CROSS JOIN LATERAL
    (SELECT chunk FROM search_words WHERE vector @@ ($2::tsquery && t.word::tsquery) LIMIT $7) f`;
/** Weights of D, C, B, A: a title counts more than a mention. Long chunks count less. */
const RANK = `ts_rank('{0.1, 0.2, 0.4, 1.0}', w.vector, $3::tsquery, 1)`;
const MATCH = statement<SearchHitSqlRow & { readonly score: number }>(
  `SELECT DISTINCT ON (d.source) ${PLACE}, c.heading, c.body, w.score
   FROM (SELECT w.chunk, ${RANK} AS score FROM (${CHOSEN}) chosen JOIN search_words w ON w.chunk = chosen.chunk
         ORDER BY score DESC LIMIT ${CANDIDATES}) w
   JOIN search_chunks c ON c.row = w.chunk JOIN search_documents d ON d.row = c.document
   JOIN ${NAMESPACES} ON e.namespace = d.namespace
   WHERE ${VISIBLE} ORDER BY d.source, w.score DESC, c.ordinal`,
);
const BEST = statement<SearchHitSqlRow & { readonly score: number }>(
  `SELECT * FROM (${MATCH.text}) AS hits ORDER BY score DESC, source LIMIT $4`,
);
const BY_PATH = statement<SearchHitSqlRow>(
  `SELECT ${PLACE}, c.heading, c.body FROM ${NAMESPACES} JOIN search_documents d ON d.namespace = e.namespace
   JOIN search_chunks c ON c.document = d.row AND c.ordinal = 0
   WHERE d.path_folded LIKE ALL ($2::text[]) AND ${VISIBLE}
   ORDER BY length(d.path), d.path, e.place LIMIT $3`,
);
const directory = (condition = '') =>
  statement<SearchPlaceSqlRow>(
    `SELECT ${PLACE} FROM ${NAMESPACES} JOIN search_documents d ON d.namespace = e.namespace AND d.kind = $2 ${condition}
     WHERE (e.place > $3 OR (e.place = $3 AND d.path > $4))
     AND ($5::text IS NULL OR d.path_folded = $5 OR right(d.path_folded, length($5) + 1) = '/' || $5) AND ${VISIBLE}
     ORDER BY e.place, d.path LIMIT $6`,
  );
const DIRECTORY = directory();
const DIRECTORY_AT = directory('AND d.path = $7');

/** `SearchReads`: finds documents by words, by path and by place. */
export class SearchReadHandle implements SearchReads {
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  async match(query: SearchScope & { readonly terms: readonly string[] }): Promise<readonly SearchHit[]> {
    const words = queriesOf(query.terms);
    if (words.length === 0 || query.namespaces.length === 0) return [];
    const [any, all] = [words.join(' | '), words.join(' & ')];
    const forEach = Math.min(READ_FOR_WORD, Math.ceil(READ_FOR_WORDS / words.length));
    const values = [query.namespaces, scopeQueryOf(query.namespaces), any, query.limit, all, words, forEach];
    return (await this.#access.sql.rows(BEST, values)).map((row) => toSearchHit(row, row.score));
  }

  async matchPath(query: SearchScope & { readonly parts: readonly string[] }): Promise<readonly SearchHit[]> {
    const patterns = query.parts.map((part) => `%${part.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`);
    if (patterns.length === 0) return [];
    const rows = await this.#access.sql.rows(BY_PATH, [query.namespaces, patterns, query.limit]);
    return rows.map((row) => toSearchHit(row, 0));
  }

  get vectorEngine(): string | undefined {
    const { vectors } = this.#access;
    if (vectors === undefined) return undefined;
    return vectors.by === 'pgvector'
      ? `pgvector ${vectors.version}`
      : 'plain SQL (the extension pgvector is not there)';
  }

  async nearest(query: NearestQuery): Promise<readonly SearchHit[]> {
    const { vectors } = this.#access;
    const found = new Map<string, SearchHit>();
    if (vectors === undefined || query.namespaces.length === 0) return [];
    for (const hit of await nearestChunks(this.#access, vectors, query)) {
      if (found.size >= query.limit) break;
      if (!found.has(hit.source)) found.set(hit.source, hit);
    }
    return [...found.values()];
  }

  bareChunks(query: BareQuery) {
    return bareChunks(this.#access, query);
  }

  bareDocuments(model: string, limit: number) {
    return bareDocuments(this.#access, model, limit);
  }

  async directory(query: DirectoryQuery): Promise<readonly SearchPlace[]> {
    const { namespaces, kind, after, path, suffix, limit } = query;
    const start = after === undefined ? 0 : namespaces.indexOf(after.namespace) + 1;
    if (after !== undefined && start === 0) return [];
    const values = [namespaces, kind, start, after?.path ?? '', suffix?.toLowerCase() ?? null, limit];
    const { sql } = this.#access;
    const rows = path === undefined ? sql.rows(DIRECTORY, values) : sql.rows(DIRECTORY_AT, [...values, path]);
    return (await rows).map(toSearchPlace);
  }
}

/**
 * Each by one value that is known before the plan is run: after many documents came in at once the statistics say that the tables are
 * small, and a join would be planned as a scan of all chunks.
 */
const DOCUMENT = '(SELECT row FROM search_documents WHERE source = $1)';
/** The document is held first, as where vectors are added: those that another transaction adds are seen here, and go with their chunks. */
const HELD = '(SELECT row FROM search_documents WHERE source = $1 FOR UPDATE)';
const DROP = [
  `DELETE FROM search_words WHERE chunk = ANY (ARRAY(SELECT row FROM search_chunks WHERE document = ${HELD}))`,
  `DELETE FROM search_chunks WHERE document = ${DOCUMENT}`,
  'DELETE FROM search_documents WHERE source = $1',
].map((text) => statement(text));
const ADD_DOCUMENT = statement<{ row: number }>(
  `INSERT INTO search_documents (source, kind, namespace, name, path, path_folded, path_words, updated_at)
   VALUES ($1,$2,$3,$4,$5,$6,$7,$8) RETURNING row`,
);
const ADD_CHUNKS = statement<{ row: number; ordinal: number }>(
  `INSERT INTO search_chunks (document, ordinal, heading, body, words)
   SELECT $1, c.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS c RETURNING row, ordinal`,
);
/** Vectors of chunks by their rows: $1 rows, $2 vectors. */
export const ADD_WORDS = statement(
  'INSERT INTO search_words (chunk, vector) SELECT w.chunk, w.vector::tsvector FROM unnest($1::bigint[], $2::text[]) AS w (chunk, vector)',
);

/** As ADD_WORDS, for chunks that may have a vector already. */
export const RENEW_WORDS = statement(`${ADD_WORDS.text} ON CONFLICT (chunk) DO UPDATE SET vector = excluded.vector`);

/** `SearchWrites` inside one write transaction: stores and drops whole documents. */
export class SearchWriteHandle extends SearchReadHandle implements SearchWrites {
  readonly #access: WriteAccess;

  constructor(access: WriteAccess) {
    super(access);
    this.#access = access;
  }

  override async directory(query: DirectoryQuery): Promise<readonly SearchPlace[]> {
    const found = await super.directory(query);
    const entries = (places: readonly SearchPlace[]) =>
      places.map(({ source, updatedAt }) => ({ id: `document/${source}`, version: updatedAt }));
    this.#access.reads.sawRange({
      limit: query.limit,
      found: entries(found),
      again: async (more) => entries(await super.directory({ ...query, limit: query.limit + more })),
    });
    return found;
  }

  async index(document: SearchDocument) {
    await this.remove(document.source);
    const { sql } = this.#access;
    const { source, kind, namespace, name, path, pathWords, updatedAt, chunks } = document;
    const added = await sql.one(ADD_DOCUMENT, [
      source,
      kind,
      namespace,
      name,
      path,
      path.toLowerCase(),
      pathWords,
      updatedAt,
    ]);
    const rows = await sql.rows(ADD_CHUNKS, [
      added.row,
      chunks.map((_, ordinal) => ordinal),
      chunks.map(({ heading }) => heading),
      chunks.map(({ text }) => text),
      chunks.map(({ text, words }) => (words === text ? null : words)),
    ]);
    const vectors = new Map(chunks.map((chunk, ordinal) => [ordinal, chunkVector({ namespace, pathWords }, chunk)]));
    sql.later(ADD_WORDS, [rows.map(({ row }) => row), rows.map(({ ordinal }) => vectors.get(ordinal) ?? '')]);
  }

  addVectors(model: string, vectors: Parameters<SearchWrites['addVectors']>[1]) {
    return putVectors(this.#access, model, vectors);
  }

  async remove(source: string) {
    const { sql, reads } = this.#access;
    reads.wrote(`document/${source}`);
    for (const each of DROP) sql.later(each, [source]);
  }
}
