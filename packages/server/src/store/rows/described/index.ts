/**
 * store/rows/described: what both engines make of a described table (store/contracts/tables): its statements, its rows, and the
 * classes whose objects hold the handle of each table. Knows no driver; used by the engines through `store/rows`.
 */
export { describedHandles } from './described-handles.ts';
export { type DescribedRow, ofQuery, rowReader, valuesOf } from './described-rows.ts';
export { expiringTexts, keyedTexts, type QueryTexts } from './described-texts.ts';
