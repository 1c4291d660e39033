import type { DirectoryQuery, SearchHit, SearchPlace, SearchScope } from '../../../contracts/index.ts';
import { type SearchHitSqlRow, type SearchPlaceSqlRow, toSearchHit, toSearchPlace } from '../../../rows/index.ts';
import { type Connection, LIMIT, type Statement } from '../../connection.ts';
import { matchExpression } from './match-expression.ts';

/** Most chunks weighed for one search; more than one may belong to a document. */
const CANDIDATES = 1_000;

/** No document of the same kind and path in a namespace that comes before; ?1 lists the namespaces, nearest first. */
const VISIBLE = `NOT EXISTS (SELECT 1 FROM json_each(?1) AS near JOIN search_documents AS other
  ON other.namespace = near.value AND other.kind = d.kind AND other.path = d.path WHERE near.key < e.key)`;
const PLACE = 'd.source, d.kind, d.namespace, d.name, d.path, d.updated_at';

/** Weights: scope, path, heading, body. A title counts more than a mention. */
const CANDIDATE_ROWS = `SELECT rowid AS chunk, -rank AS score FROM search_words
  WHERE search_words MATCH ? AND rank MATCH 'bm25(0.0, 8.0, 3.0, 1.0)' ORDER BY rank LIMIT ${CANDIDATES}`;
const CHUNK = `SELECT ${PLACE}, c.heading, c.body FROM search_chunks AS c JOIN search_documents AS d ON d.row = c.document
  JOIN json_each(?1) AS e ON e.value = d.namespace WHERE c.row = ?2 AND ${VISIBLE}`;
const BY_PATH = `SELECT ${PLACE}, c.heading, c.body FROM json_each(?1) AS e
  JOIN search_documents AS d ON d.namespace = e.value
  JOIN search_chunks AS c ON c.document = d.row AND c.ordinal = 0
  WHERE NOT EXISTS (SELECT 1 FROM json_each(?2) AS part WHERE instr(d.path_folded, part.value) = 0) AND ${VISIBLE}
  ORDER BY length(d.path), d.path, e.key ${LIMIT.replace('?', '?3')}`;
/** Documents of one namespace in the order of the index; ?3 lists the nearer namespaces. */
const placesIn = (condition = ''): string => `SELECT ${PLACE} FROM search_documents AS d
  WHERE d.namespace = ?1 AND d.kind = ?2 AND d.path > ?4 ${condition}
  AND (?5 IS NULL OR d.path_folded = ?5 OR substr(d.path_folded, -length(?5) - 1) = '/' || ?5)
  AND NOT EXISTS (SELECT 1 FROM json_each(?3) AS near JOIN search_documents AS other
    ON other.namespace = near.value AND other.kind = d.kind AND other.path = d.path)
  ORDER BY d.path ${LIMIT.replace('?', '?6')}`;
const PLACES = placesIn();
const PLACE_AT = placesIn('AND d.path = ?7');

/** Finds documents by words, by path and by place. */
export class SearchReadTable {
  readonly #candidates: Statement<{ readonly chunk: number; readonly score: number }>;
  readonly #chunk: Statement<SearchHitSqlRow>;
  readonly #byPath: Statement<SearchHitSqlRow>;
  readonly #places: Statement<SearchPlaceSqlRow>;
  readonly #placeAt: Statement<SearchPlaceSqlRow>;

  constructor(connection: Connection) {
    this.#candidates = connection.statement(CANDIDATE_ROWS);
    this.#chunk = connection.statement(CHUNK);
    this.#byPath = connection.statement(BY_PATH);
    this.#places = connection.statement(PLACES);
    this.#placeAt = connection.statement(PLACE_AT);
  }

  match(query: SearchScope & { readonly terms: readonly string[] }): readonly SearchHit[] {
    const expression = matchExpression(query.terms, query.namespaces);
    if (expression === undefined) return [];
    const namespaces = JSON.stringify(query.namespaces);
    const found = new Map<string, SearchHit>();
    for (const { chunk, score } of this.#candidates.all(expression)) {
      if (found.size >= query.limit) break;
      const row = this.#chunk.get(namespaces, chunk);
      if (row !== undefined && !found.has(row.source)) found.set(row.source, toSearchHit(row, score));
    }
    return [...found.values()];
  }

  matchPath(query: SearchScope & { readonly parts: readonly string[] }): readonly SearchHit[] {
    const parts = query.parts.map((part) => part.toLowerCase());
    if (parts.length === 0) return [];
    const rows = this.#byPath.all(JSON.stringify(query.namespaces), JSON.stringify(parts), query.limit);
    return rows.map((row) => toSearchHit(row, 0));
  }

  directory(query: DirectoryQuery): readonly SearchPlace[] {
    const { namespaces, kind, after, path, suffix, limit } = query;
    const start = after === undefined ? 0 : namespaces.indexOf(after.namespace);
    if (start < 0) return [];
    const found: SearchPlaceSqlRow[] = [];
    for (let index = start; index < namespaces.length && found.length < limit; index++) {
      const [namespace = '', nearer] = [namespaces[index], JSON.stringify(namespaces.slice(0, index))];
      const from = after !== undefined && index === start ? after.path : '';
      const values = [namespace, kind, nearer, from, suffix?.toLowerCase() ?? null, limit - found.length];
      found.push(...(path === undefined ? this.#places.all(...values) : this.#placeAt.all(...values, path)));
    }
    return found.map(toSearchPlace);
  }
}
