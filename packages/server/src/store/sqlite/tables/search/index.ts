/**
 * store/sqlite/tables/search: documents and their chunks, found by words, by path, by place and by meaning. Words and parts of paths are in
 * contentless FTS5 tables, which answer rows and weigh them by BM25. Vectors are in ordinary tables, compared by functions of the
 * extension sqlite-vec: a database that has some opens without it, and what is deleted takes its vectors along.
 *
 * A search costs about the same whatever the number of documents: `word-search.ts` says how. What is bounded are the candidates; where
 * more would fit, the newest compete.
 */
export { fillWords, renewWords } from './renew-words.ts';
export { SearchReadHandle, SearchWriteHandle } from './search-handle.ts';
export { findVectorExtension } from './vector-extension.ts';
