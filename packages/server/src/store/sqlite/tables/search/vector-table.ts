import type { BareChunk, BareQuery, NearestQuery, SearchHit } from '../../../contracts/index.ts';
import { type SearchHitSqlRow, toSearchHit } from '../../../rows/index.ts';
import { type Connection, sql } from '../../connection.ts';
import { sketchForm, sketchOf, vectorBytes } from './sketch.ts';

/** Most sketches that one search compares, the newest ones of each namespace; reading that many takes about 40 ms. */
const COMPARED_MAX = 100_000;
/** Chunks near by their sketches whose vectors are compared exactly. */
const EXACT = 400;

const PLACE = 'd.source, d.kind, d.namespace, d.name, d.path, d.updated_at';
const sketches = (distance: string) =>
  sql<{ readonly chunk: number }>(
    `SELECT chunk FROM (SELECT chunk, sketch FROM search_sketches WHERE namespace = ? AND model = ? AND length(sketch) = ?
       ORDER BY chunk DESC LIMIT ${COMPARED_MAX}) ORDER BY ${distance} LIMIT ${EXACT}`,
  );
const NEAR = {
  signs: sketches('vec_distance_hamming(vec_bit(sketch), vec_bit(?))'),
  bytes: sketches('vec_distance_cosine(vec_int8(sketch), vec_int8(?))'),
} as const;
const EXACTLY = sql<SearchHitSqlRow & { readonly distance: number }>(
  `SELECT ${PLACE}, c.heading, c.body, vec_distance_cosine(v.vector, ?1) AS distance FROM json_each(?2) AS near
   JOIN search_vectors AS v ON v.chunk = near.value AND v.model = ?3 AND length(v.vector) = length(?1)
   JOIN search_chunks AS c ON c.row = v.chunk JOIN search_documents AS d ON d.row = c.document ORDER BY distance, c.row`,
);
/** Documents in two halves, because the index knows no unequal. */
const waiting = (columns: string, rest: string) =>
  `SELECT ${columns} FROM (SELECT * FROM search_documents WHERE embedded < ?1 UNION ALL
     SELECT * FROM search_documents WHERE embedded > ?1) AS d ${rest}`;
const BARE = sql<{
  readonly namespace: string;
  readonly source: string;
  readonly ordinal: number;
  readonly path: string;
  readonly heading: string;
  readonly text: string;
}>(
  `${waiting('d.namespace, d.source, c.ordinal, d.path, c.heading, c.body AS text', '')}
   JOIN search_chunks AS c ON c.document = d.row LEFT JOIN search_vectors AS v ON v.chunk = c.row AND v.model = ?1
   WHERE v.chunk IS NULL AND d.source NOT IN (SELECT value FROM json_each(?2)) LIMIT ?3 + 0`,
);
const COUNT_BARE = sql<{ readonly count: number }>(`SELECT count(*) AS count FROM (${waiting('1', 'LIMIT ?2 + 0')})`);
const CHUNK = sql<{ readonly row: number; readonly namespace: string }>(
  `SELECT c.row, d.namespace FROM search_documents AS d JOIN search_chunks AS c ON c.document = d.row AND c.ordinal = ?
   WHERE d.source = ? AND d.path = ? AND c.heading = ? AND c.body = ?`,
);
const PUT = sql(
  'INSERT INTO search_vectors (chunk, model, vector) VALUES (?,?,?) ON CONFLICT (chunk) DO UPDATE SET model = excluded.model, vector = excluded.vector',
);
const DROP_SKETCH = sql('DELETE FROM search_sketches WHERE chunk = ?');
const ADD_SKETCH = sql('INSERT INTO search_sketches (namespace, model, chunk, sketch) VALUES (?,?,?,?)');
/** Notes whether the document has all vectors of the model. Where it has not, those of the model noted before may be gone as well. */
const SETTLE = sql(
  `UPDATE search_documents SET embedded = CASE WHEN EXISTS (
     SELECT 1 FROM search_chunks AS c LEFT JOIN search_vectors AS v ON v.chunk = c.row AND v.model = ?1
     WHERE c.document = search_documents.row AND v.chunk IS NULL) THEN '' ELSE ?1 END WHERE source = ?2`,
);

/** The chunks nearest to a vector, best first; of a document there may be several. */
export const nearestChunks = (connection: Connection, query: NearestQuery): readonly SearchHit[] => {
  const { namespaces, model, vector } = query;
  const near = NEAR[sketchForm(vector.length)];
  const sketch = sketchOf(vector);
  const chunks = [...new Set(namespaces)].flatMap((namespace) =>
    connection
      .of(near)
      .all(namespace, model, sketch.length, sketch)
      .map(({ chunk }) => chunk),
  );
  const rows = connection.of(EXACTLY).all(vectorBytes(vector), JSON.stringify(chunks), model);
  return rows.map((row) => toSearchHit(row, 1 - row.distance));
};

export const bareChunks = (connection: Connection, { model, limit, except }: BareQuery): readonly BareChunk[] =>
  connection.of(BARE).all(model, JSON.stringify(except), limit);

export const bareDocuments = (connection: Connection, model: string, limit: number): number =>
  connection.of(COUNT_BARE).get(model, limit)?.count ?? 0;

/** Stores what fits the chunks as they are now, and notes the documents that have all their vectors. */
export const putVectors = (
  connection: Connection,
  model: string,
  vectors: readonly (BareChunk & { readonly vector: Float32Array })[],
): void => {
  for (const { source, ordinal, path, heading, text, vector } of vectors) {
    const chunk = connection.of(CHUNK).get(ordinal, source, path, heading, text);
    if (chunk === undefined) continue;
    connection.of(PUT).run(chunk.row, model, vectorBytes(vector));
    connection.of(DROP_SKETCH).run(chunk.row);
    connection.of(ADD_SKETCH).run(chunk.namespace, model, chunk.row, sketchOf(vector));
  }
  for (const source of new Set(vectors.map((each) => each.source))) connection.of(SETTLE).run(model, source);
};
