/**
 * store/sqlite: the embedded engine on `node:sqlite`: one writing connection with group commit, snapshot reads, direct
 * reads, checkpoints on a thread of their own. Owns `svc.db`, `lock.db` and `backups/` in the data directory; knows rows,
 * not rules. Opened by `app` only; everyone else sees `store/contracts`.
 */
export { openSqliteDump, openSqliteLoad } from './copies/index.ts';
export { lockDataDir } from './data-lock.ts';
export { examineSqlite, type StoreExamination } from './examine.ts';
export { openSqliteMigrations } from './schema/index.ts';
export { openSqliteStore } from './sqlite-store.ts';
