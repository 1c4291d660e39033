import type { BareChunk, BareQuery, NearestQuery, SearchHit } from '../../../contracts/index.ts';
import { type SearchHitSqlRow, toSearchHit } from '../../../rows/index.ts';
import type { Access, VectorForm, WriteAccess } from '../../access.ts';
import { composed, statement } from '../../connection/index.ts';
import { NAMESPACES, PLACE, VISIBLE } from './visible-documents.ts';

/** Most chunks that one search compares by the extension, the newest ones. */
const COMPARED_MAX = 100_000;
/** As COMPARED_MAX, in plain SQL, which takes a tenth of a millisecond for each: first those of documents that were found already. */
const CANDIDATES_MAX = 1_000;
/** Chunks that are read for the documents that a search may answer. */
const CHUNKS_READ = 1_000;

/**
 * The nearest chunks of the newest. What is compared is cut first, by their rows alone: a vector is stored apart from its row, and
 * to ask for its length would read all of it.
 */
const nearest = (form: { readonly first: string; readonly most: number; readonly cosine: string }) =>
  statement<SearchHitSqlRow & { readonly score: number }>(
    `SELECT source, kind, namespace, name, path, updated_at, heading, body, score FROM (
       SELECT ${PLACE}, c.heading, c.body, c.row, e.place, ${form.cosine} AS score FROM (
         SELECT v.chunk, v.vector FROM search_documents d JOIN search_chunks c ON c.document = d.row
         JOIN search_vectors v ON v.chunk = c.row
         WHERE d.namespace = ANY ($1) AND v.model = $2
         ORDER BY ${form.first} c.row DESC LIMIT ${form.most}) v
       JOIN search_chunks c ON c.row = v.chunk JOIN search_documents d ON d.row = c.document
       JOIN ${NAMESPACES} ON e.namespace = d.namespace
       WHERE array_length(v.vector, 1) = array_length($3::real[], 1) AND ${VISIBLE}
       ORDER BY score DESC, c.row LIMIT ${CHUNKS_READ}) AS hits
     ORDER BY score DESC, row`,
  );
const NEAREST = {
  pgvector: nearest({ first: '', most: COMPARED_MAX, cosine: '1 - (v.vector::vector <=> $3::real[]::vector)' }),
  sql: nearest({
    first: '(d.source = ANY ($4)) DESC,',
    most: CANDIDATES_MAX,
    cosine: '(SELECT sum(own * asked) FROM unnest(v.vector, $3::real[]) AS pair (own, asked))',
  }),
} as const;

/** Documents in two halves, because the index knows no unequal. */
const waiting = (columns: string, rest: string): string =>
  `SELECT ${columns} FROM (SELECT * FROM search_documents WHERE embedded < $1 UNION ALL
     SELECT * FROM search_documents WHERE embedded > $1) AS d ${rest}`;
const BARE = statement<{
  readonly namespace: string;
  readonly source: string;
  readonly ordinal: number;
  readonly path: string;
  readonly heading: string;
  readonly text: string;
}>(
  `${waiting('d.namespace, d.source, c.ordinal, d.path, c.heading, c.body AS text', '')}
   JOIN search_chunks c ON c.document = d.row LEFT JOIN search_vectors v ON v.chunk = c.row AND v.model = $1
   WHERE v.chunk IS NULL AND NOT d.source = ANY ($2) LIMIT $3`,
);
const COUNT_BARE = statement<{ readonly count: number }>(
  `SELECT count(*) AS count FROM (${waiting('1', 'LIMIT $2')}) AS found`,
);
/** Held, so that no one replaces the document before the vectors are there. */
const HOLD = statement<{ readonly row: number }>(
  'SELECT row FROM search_documents WHERE source = $1 AND path = $2 FOR UPDATE',
);
const CHUNK = statement<{ readonly row: number }>(
  'SELECT row FROM search_chunks WHERE document = $1 AND ordinal = $2 AND heading = $3 AND body = $4',
);
const PUT = statement(
  `INSERT INTO search_vectors (chunk, model, vector) VALUES ($1, $2, $3::real[])
   ON CONFLICT (chunk) DO UPDATE SET model = excluded.model, vector = excluded.vector`,
);
/** Notes whether the document has all vectors of the model. Where it has not, those of the model noted before may be gone as well. */
const SETTLE = statement(
  `UPDATE search_documents d SET embedded = CASE WHEN EXISTS (
     SELECT 1 FROM search_chunks c LEFT JOIN search_vectors v ON v.chunk = c.row AND v.model = $1
     WHERE c.document = d.row AND v.chunk IS NULL) THEN '' ELSE $1 END WHERE d.row = $2`,
);

/** The chunks nearest to a vector, best first; of a document there may be several. */
export const nearestChunks = async (
  { sql }: Pick<Access, 'sql'>,
  form: VectorForm,
  query: NearestQuery,
): Promise<readonly SearchHit[]> => {
  const { namespaces, model, vector, found } = query;
  const values = [namespaces, model, [...vector]];
  const rows = await sql.rows(NEAREST[form.by], form.by === 'sql' ? [...values, found] : values);
  return rows.map((row) => toSearchHit(row, row.score));
};

export const bareChunks = (
  { sql }: Pick<Access, 'sql'>,
  { model, limit, except }: BareQuery,
): Promise<readonly BareChunk[]> => sql.rows(BARE, [model, except, limit]);

export const bareDocuments = async ({ sql }: Pick<Access, 'sql'>, model: string, limit: number): Promise<number> =>
  (await sql.one(COUNT_BARE, [model, limit])).count;

/** Stores what fits the chunks as they are now, and notes the documents that have all their vectors. */
export const putVectors = async (
  { sql }: Pick<WriteAccess, 'sql'>,
  model: string,
  vectors: readonly (BareChunk & { readonly vector: Float32Array })[],
): Promise<void> => {
  const bySource = Map.groupBy(vectors, ({ source }) => source);
  // In one order, so that two transactions never wait for each other.
  for (const [source, own] of [...bySource].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const document = await sql.first(HOLD, [source, own[0]?.path ?? '']);
    if (document === undefined) continue;
    for (const { ordinal, heading, text, vector } of own) {
      const chunk = await sql.first(CHUNK, [document.row, ordinal, heading, text]);
      if (chunk !== undefined) sql.later(PUT, [chunk.row, model, [...vector]]);
    }
    sql.later(SETTLE, [model, document.row]);
  }
};

const FIND = composed<{ readonly version: string }>(
  `SELECT extversion AS version FROM pg_extension WHERE extname = 'vector'`,
);
const OFFERED = composed<{ readonly name: string }>(`SELECT name FROM pg_available_extensions WHERE name = 'vector'`);
const CREATE = composed('CREATE EXTENSION IF NOT EXISTS vector');

/** Finds out whether the database has the extension, and adds it where the server offers it and svc may. */
export const probeVectors = async (
  sql: Pick<Access['sql'], 'rows' | 'run'>,
  refused: (error: unknown) => void,
): Promise<VectorForm> => {
  let [found] = await sql.rows(FIND);
  if (found === undefined && (await sql.rows(OFFERED)).length > 0) {
    await sql.run(CREATE).catch(refused);
    [found] = await sql.rows(FIND);
  }
  return found === undefined ? { by: 'sql' } : { by: 'pgvector', version: found.version };
};
