import type { SearchHit } from '../../../store/contracts/index.ts';
import { plainWords } from './search-words.ts';

/** Constant of reciprocal rank fusion. */
const K = 60;

/** A hit with its place in one list; equals share a place. */
export interface RankedHit {
  readonly hit: SearchHit;
  readonly rank: number;
}

export interface FusedHit {
  readonly hit: SearchHit;
  /** In (0, 1]: 1 = first in every list. */
  readonly score: number;
}

/** Hits by a value, best first; equal values get equal ranks. */
export const rankBy = (hits: readonly SearchHit[], value: (hit: SearchHit) => number): readonly RankedHit[] => {
  const valued = hits.map((hit) => ({ hit, value: value(hit) }));
  return valued.map(({ hit, value: own }) => ({
    hit,
    rank: 1 + valued.filter((other) => other.value > own).length,
  }));
};

/** How well a path fits a query: its last segment, its end, its inside; 0 = not at all. */
export const pathFit = (path: string, query: string): number => {
  const wanted = query.trim().normalize('NFC').toLowerCase();
  const folded = path.toLowerCase();
  const base = folded.slice(folded.lastIndexOf('/') + 1);
  const stem = base.includes('.') ? base.slice(0, base.lastIndexOf('.')) : base;
  const key = wordKey(wanted);
  const isSame = (text: string): boolean => text === wanted || (key !== '' && wordKey(text) === key);
  if (isSame(base) || isSame(stem)) return 3;
  if (folded.endsWith(wanted) || (key !== '' && `-${wordKey(folded)}`.endsWith(`-${key}`))) return 2;
  return queryParts(wanted).every((part) => folded.includes(part)) ? 1 : 0;
};

/** What a path must hold to be a candidate: every word of the query, or the query itself when it has none. */
export const queryParts = (query: string): readonly string[] => {
  const words = plainWords(query);
  return words.length > 0 ? words : [query.trim().toLowerCase()];
};

const wordKey = (text: string): string => plainWords(text).join('-');

/**
 * One list of several by reciprocal rank, over the best value that is possible. A document found by text shows the chunk found.
 * Ties: the nearer namespace, then the path.
 */
export const fuse = (lists: readonly (readonly RankedHit[])[], namespaces: readonly string[]): readonly FusedHit[] => {
  const sums = new Map<string, { hit: SearchHit; sum: number }>();
  for (const list of lists)
    for (const { hit, rank } of list) {
      const known = sums.get(hit.source);
      sums.set(hit.source, { hit: known?.hit ?? hit, sum: (known?.sum ?? 0) + 1 / (K + rank) });
    }
  const best = lists.length / (K + 1);
  return [...sums.values()]
    .map(({ hit, sum }) => ({ hit, score: Math.min(1, sum / best) }))
    .sort(
      (left, right) =>
        right.score - left.score ||
        namespaces.indexOf(left.hit.namespace) - namespaces.indexOf(right.hit.namespace) ||
        compareText(left.hit.path, right.hit.path),
    );
};

/** Byte-wise, as lists are ordered. */
const compareText = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right));
