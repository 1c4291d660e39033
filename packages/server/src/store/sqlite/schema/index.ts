/**
 * store/sqlite/schema: brings the schema of a database up, and down again, with a copy of the file before. Which steps
 * there are is the matter of store/migrations. Called when a store is opened, by a load, and by hand.
 */
export { migrate } from './migrate.ts';
export { openSqliteMigrations } from './sqlite-migrations.ts';
export { syncPath } from './sync-path.ts';
