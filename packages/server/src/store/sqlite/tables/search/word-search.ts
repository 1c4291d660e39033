import { type Connection, sql } from '../../connection.ts';
import { allOf, anyOf, termsOf } from './match-expression.ts';

/** A chunk with how well it fits; larger is better. */
interface WeighedChunk {
  readonly chunk: number;
  readonly score: number;
}

/** Most chunks weighed for one search, the newest ones. */
const WEIGHED_MAX = 1_000;
/** A term in more chunks tells too little about any of them: to weigh it all of them would be read. */
const COMMON_MIN = 5_000;
/** Most chunks of one weighing that are handed on; more than one may belong to a document. */
const CANDIDATES = 1_000;
/** What bounds one search; tests bring their own. */
const LIMITS = { weighed: WEIGHED_MAX, common: COMMON_MIN } as const;
type Limits = { readonly [Name in keyof typeof LIMITS]: number };

/** Most chunks handed on of those that hold common terms only, the newest ones. */
const COMMON_CANDIDATES = 200;
/** What chunks that hold common terms only are worth at most; those that hold a rarer one are worth more, or shifted above it. */
const COMMON_SCORE = 1e-6;

/** Weights: scope, path, heading, body. A title counts more than a mention. */
const WEIGH = sql<WeighedChunk>(
  `SELECT rowid AS chunk, -rank AS score FROM search_words WHERE search_words MATCH ? AND rowid >= ?
   AND rank MATCH 'bm25(0.0, 8.0, 3.0, 1.0)' ORDER BY rank LIMIT ${CANDIDATES}`,
);
const COUNT = sql<{ readonly count: number }>(
  `SELECT count(*) AS count FROM (SELECT 1 FROM search_words WHERE search_words MATCH ? LIMIT ? + 1)`,
);
/** The oldest of the newest chunks that may be weighed. */
const FLOOR = sql<{ readonly floor: number }>(
  `SELECT coalesce(min(row), 0) AS floor FROM (
     SELECT rowid AS row FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT ? + 0)`,
);
const NEWEST = sql<{ readonly chunk: number }>(
  `SELECT rowid AS chunk FROM search_words WHERE search_words MATCH ? ORDER BY rowid DESC LIMIT ${COMMON_CANDIDATES}`,
);

/**
 * Chunks of these namespaces that hold any of the terms, best first, in groups: a later group is worth less than those before it, and
 * is only searched for when it is asked for. The cost of a search does not grow with the number of documents: terms that are in more than
 * COMMON_MIN chunks only count where no other term is found, and then by where they are; of chunks with the others the newest
 * WEIGHED_MAX are weighed, those first that hold all of them.
 */
export function* weighedChunks(
  connection: Connection,
  asked: { readonly terms: readonly string[]; readonly namespaces: readonly string[] },
  limits: Limits = LIMITS,
): Generator<readonly WeighedChunk[]> {
  const { namespaces } = asked;
  const terms = termsOf(asked.terms);
  if (terms.length === 0 || namespaces.length === 0) return;
  const counted = terms.map((term) => ({
    term,
    count: connection.of(COUNT).get(anyOf([term], namespaces), limits.common)?.count ?? 0,
  }));
  const rare = counted.filter(({ count }) => count > 0 && count <= limits.common);
  const common = counted.filter(({ count }) => count > limits.common).map(({ term }) => term);
  let last = Number.POSITIVE_INFINITY;
  for (const expression of rareGroups(rare, namespaces, limits)) {
    const floor = connection.of(FLOOR).get(expression, limits.weighed)?.floor ?? 0;
    const found = below(connection.of(WEIGH).all(expression, floor), last);
    last = found.at(-1)?.score ?? last;
    yield found;
  }
  if (common.length === 0) return;
  for (const expression of commonGroups(common, namespaces)) {
    const score = Math.min(COMMON_SCORE, last / 2);
    last = score;
    yield connection
      .of(NEWEST)
      .all(expression)
      .map(({ chunk }) => ({ chunk, score }));
  }
}

/** What is weighed of the chunks with rare terms: all, or first those that hold every one where all are too many. */
const rareGroups = (
  terms: readonly { readonly term: string; readonly count: number }[],
  namespaces: readonly string[],
  limits: Limits,
): readonly string[] => {
  const names = terms.map(({ term }) => term);
  if (names.length === 0) return [];
  const any = anyOf(names, namespaces);
  const total = terms.reduce((sum, { count }) => sum + count, 0);
  return names.length > 1 && total > limits.weighed ? [allOf(names, namespaces), any] : [any];
};

/** Every term, then any of them: first in paths, then in headings, then anywhere. */
const commonGroups = (terms: readonly string[], namespaces: readonly string[]): readonly string[] => {
  const columns = ['{path}', '{heading}', '{path heading body}'];
  const any = columns.map((column) => anyOf(terms, namespaces, column));
  return terms.length === 1 ? any : [...columns.map((column) => allOf(terms, namespaces, column)), ...any];
};

/** The same order with scores below a limit. */
const below = (chunks: readonly WeighedChunk[], limit: number): readonly WeighedChunk[] => {
  const [best] = chunks;
  if (best === undefined || best.score < limit) return chunks;
  const factor = (limit / best.score) * (1 - Number.EPSILON * 4);
  return chunks.map(({ chunk, score }) => ({ chunk, score: score * factor }));
};
