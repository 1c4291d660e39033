/** store/postgres/tables/log: sessions with their messages, turns, claims, journals, steers and permissions. */
export { LogReadHandle } from './log-handle.ts';
export { LogWriteHandle } from './log-write-handle.ts';
