/** store/sqlite/records: committed records kept in memory between reads of this process; see RecordCache for when they hold. */
export { type KeptRecords, RecordCache } from './record-cache.ts';
