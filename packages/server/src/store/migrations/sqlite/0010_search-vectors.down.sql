DROP TRIGGER search_chunks_removed;
DROP TABLE search_sketches;
DROP TABLE search_vectors;
DROP INDEX search_documents_embedded;
ALTER TABLE search_documents DROP COLUMN embedded;
DROP TABLE search_paths;
