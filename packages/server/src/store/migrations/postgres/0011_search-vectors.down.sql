DROP TRIGGER search_chunks_emptied ON search_chunks;
DROP TRIGGER search_chunks_removed ON search_chunks;
DROP FUNCTION search_chunks_removed();
DROP TABLE search_vectors;
DROP INDEX search_documents_embedded;
ALTER TABLE search_documents DROP COLUMN embedded;
ALTER INDEX search_words_vector RESET (gin_pending_list_limit);
