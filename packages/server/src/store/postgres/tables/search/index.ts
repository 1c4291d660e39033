/**
 * store/postgres/tables/search: documents and their chunks, found by words, by path and by place. Words are cut here, so that
 * PostgreSQL only keeps and weighs them.
 */
export { ADD_WORDS, RENEW_WORDS, SearchReadHandle, SearchWriteHandle } from './search-handle.ts';
export { chunkVector } from './search-words.ts';
export { probeVectors } from './vector-table.ts';
