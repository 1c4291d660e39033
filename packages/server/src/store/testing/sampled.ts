import process from 'node:process';
import { seededRandom } from '../../base/index.ts';
import { isGivenDatabase } from '../postgres/testing/given-database.ts';

/** The seed of tools/testing/random-seed.ts, so that two runs sample the same unless another one is asked for. */
const FIXED_SEED = 20_261_121;

const seed = (): number => {
  const asked = process.env['SVC_TEST_SEED'];
  if (asked === 'random') return Math.floor(Math.random() * 2 ** 31);
  return asked ? Number(asked) : FIXED_SEED;
};

/** True on PostgreSQL, unless SVC_TEST_SEED asks for `all`. */
export const isSampled = (): boolean => isGivenDatabase() && process.env['SVC_TEST_SEED'] !== 'all';

/**
 * All cases of a sweep on SQLite. On PostgreSQL, where each case makes a database or a transaction of several statements, a sample of them in their order; which,
 * says SVC_TEST_SEED (`all`: every one of them).
 */
export const sampled = <T>(cases: readonly T[], size: number): readonly T[] => {
  if (!isSampled()) return cases;
  const random = seededRandom(seed());
  const drawn = cases.map((item, index) => ({ item, index, at: random.next() })).sort((a, b) => a.at - b.at);
  return drawn
    .slice(0, size)
    .sort((a, b) => a.index - b.index)
    .map(({ item }) => item);
};

/** As `sampled`, of the numbers from 1 to `last`. */
export const sampledNumbers = (last: number, size: number): readonly number[] =>
  sampled(
    Array.from({ length: last }, (_, index) => index + 1),
    size,
  );

/** For sweeps whose end shows only on the way: from which number on, and how far apart. Every number on SQLite. */
export const sampledStrides = (stride: number): { readonly first: number; readonly step: number } =>
  isSampled() ? { first: 1 + (seed() % stride), step: stride } : { first: 1, step: 1 };
