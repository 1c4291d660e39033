import type { SearchHit, SearchPlace } from '../contracts/index.ts';

export interface SearchPlaceSqlRow {
  readonly source: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly updated_at: number;
}

export interface SearchHitSqlRow extends SearchPlaceSqlRow {
  readonly heading: string;
  readonly body: string;
}

/** The document that a row stores. */
export const toSearchPlace = (row: SearchPlaceSqlRow): SearchPlace => ({
  source: row.source,
  kind: row.kind,
  namespace: row.namespace,
  name: row.name,
  path: row.path,
  updatedAt: row.updated_at,
});

/** The chunk that a row stores, with its score. */
export const toSearchHit = (row: SearchHitSqlRow, score: number): SearchHit => ({
  ...toSearchPlace(row),
  heading: row.heading,
  text: row.body,
  score,
});
