/**
 * store/sqlite/tables/search: the statements of text search: documents and chunks in tables, their words in a contentless FTS5
 * table. Knows no ranking but BM25. `handles/` wraps it as the store contract.
 */
export { fillWords, renewWords } from './renew-words.ts';
export { SearchReadTable } from './search-read-table.ts';
export { SearchWriteTable } from './search-write-table.ts';
