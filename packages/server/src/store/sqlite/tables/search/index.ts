/**
 * store/sqlite/tables/search: documents and their chunks, found by words, by path and by place. Words are in a contentless FTS5 table,
 * which weighs them by BM25 and nothing else.
 */
export { fillWords, renewWords } from './renew-words.ts';
export { SearchReadHandle, SearchWriteHandle } from './search-handle.ts';
