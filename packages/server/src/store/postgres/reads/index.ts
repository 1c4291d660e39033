/**
 * store/postgres/reads: what one run of a transaction function read, and whether it is still so. Filled by the handles of
 * `tables`, asked by `transactions` before a commit.
 */
export { KnownRows } from './known-rows.ts';
export { type RangeEntry, ReadSet, rowId } from './read-set.ts';
