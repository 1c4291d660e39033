import { isJsonMap, type JsonData, type JsonMap } from '../../../resources/index.ts';
import { type Path, parsePath } from './path-expressions.ts';

export interface PredicateFindings {
  /** Readable, with the place inside the predicate. */
  readonly problems: readonly string[];
  readonly paths: readonly Path[];
}

const DEPTH_MAX = 32;
const COMPARATORS: Readonly<Record<string, (value: JsonData) => string>> = {
  exists: (value) => (typeof value === 'boolean' ? '' : 'must be true or false'),
  equals: () => '',
  notEquals: () => '',
  in: (value) => (Array.isArray(value) ? '' : 'must be a list'),
  contains: () => '',
  gt: (value) => number(value),
  gte: (value) => number(value),
  lt: (value) => number(value),
  lte: (value) => number(value),
};

const number = (value: JsonData): string => (typeof value === 'number' ? '' : 'must be a number');

const problem = (at: string, text: string): PredicateFindings => ({
  problems: [at === '' ? text : `${at}: ${text}`],
  paths: [],
});

const joined = (parts: readonly PredicateFindings[]): PredicateFindings => ({
  problems: parts.flatMap((part) => part.problems),
  paths: parts.flatMap((part) => part.paths),
});

/** Faults of a predicate, and the paths it reads. Ordering against anything but numbers can never hold. */
export const checkPredicate = (value: JsonData, at = '', depth = 0): PredicateFindings => {
  if (!isJsonMap(value)) return problem(at, 'must be an object');
  if (depth > DEPTH_MAX) return problem(at, `nested deeper than ${DEPTH_MAX}`);
  const keys = Object.keys(value);
  const [only = ''] = keys;
  if (keys.length === 1 && (only === 'all' || only === 'any'))
    return checkList(value[only] ?? null, `${at}/${only}`, depth);
  if (keys.length === 1 && only === 'not') return checkPredicate(value['not'] ?? null, `${at}/not`, depth + 1);
  return checkLeaf(value, at);
};

const checkList = (value: JsonData, at: string, depth: number): PredicateFindings => {
  if (!Array.isArray(value)) return problem(at, 'must be a list');
  return joined(value.map((item: JsonData, index) => checkPredicate(item, `${at}/${index}`, depth + 1)));
};

const checkLeaf = (leaf: JsonMap, at: string): PredicateFindings => {
  const { path: text, ...comparators } = leaf;
  const names = Object.keys(comparators);
  const [name = ''] = names;
  const comparator = Object.hasOwn(COMPARATORS, name) ? COMPARATORS[name] : undefined;
  if (text === undefined || names.length !== 1 || comparator === undefined)
    return problem(at, `must be all, any, not, or path with one of ${Object.keys(COMPARATORS).join(', ')}`);
  const path = typeof text === 'string' ? parsePath(text) : undefined;
  const wrong = comparator(comparators[name] ?? null);
  return joined([
    path === undefined ? problem(`${at}/path`, 'is not a path') : { problems: [], paths: [path] },
    wrong === '' ? { problems: [], paths: [] } : problem(`${at}/${name}`, wrong),
  ]);
};
