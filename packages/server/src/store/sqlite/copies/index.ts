/**
 * store/sqlite/copies: the whole contents of a database as rows, and a database made of such rows. Opens files of its own:
 * a dump reads a copy that SQLite made, a load writes a file that no one has opened yet.
 */
export { openSqliteDump } from './sqlite-dump.ts';
export { openSqliteLoad } from './sqlite-load.ts';
