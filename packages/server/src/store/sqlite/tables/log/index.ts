/**
 * store/sqlite/tables/log: sessions with their messages, turns, claims, journals, steers and permissions, a class for the statements of
 * each, and the handles that make one contract of them. The statements stay with their connection, because some of them keep what they
 * read between transactions.
 */
export { ClaimTable } from './claim-table.ts';
export { LogReadHandle } from './log-handle.ts';
export { LogWriteHandle } from './log-write-handle.ts';
export { MessageTable } from './message-table.ts';
export { SessionTable } from './session-table.ts';
export { JournalTable, PermissionTable, SteerTable } from './turn-detail-tables.ts';
export { TurnTable } from './turn-table.ts';
