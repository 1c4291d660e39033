/**
 * store/sqlite/tables/log: sessions with their messages, turns, claims, journals, steers and permissions, a class for the statements of
 * each, and the handles that make one contract of them. The statements stay with their connection, because some of them keep what they
 * read between transactions.
 */
export { LogReadHandle } from './log-handle.ts';
export { createLogTables, type LogTables } from './log-tables.ts';
export { LogWriteHandle } from './log-write-handle.ts';
