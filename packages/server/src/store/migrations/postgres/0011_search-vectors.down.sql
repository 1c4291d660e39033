DROP TABLE search_vectors;
DROP INDEX search_documents_embedded;
ALTER TABLE search_documents DROP COLUMN embedded;
ALTER INDEX search_words_vector RESET (gin_pending_list_limit);
