/**
 * store/rows: what the SQL engines share: how a row of each table becomes a value of the contract, the JSON of small columns,
 * what lists are ordered and driven by, queue tokens, and the statements of described tables that are the same in both. Table and
 * column names are the same in every engine. Halves of characters that earlier builds stored are mended on the way out. Knows no
 * driver; used by `sqlite/` and `postgres/` only.
 */
export * from './admission-marks.ts';
export * from './audit-rows.ts';
export * from './channel-rows.ts';
export * from './described/index.ts';
export { FullDisk } from './full-disk.ts';
export * from './message-rows.ts';
export * from './resource-rows.ts';
export * from './row-json.ts';
export * from './row-order.ts';
export * from './search-rows.ts';
export * from './session-rows.ts';
export * from './token-source.ts';
export * from './turn-detail-rows.ts';
export * from './turn-rows.ts';
