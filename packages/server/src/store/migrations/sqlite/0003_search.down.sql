-- Releases before it index nothing; the documents themselves are resources and stay.
DROP TABLE search_words;
DROP TABLE search_chunks;
DROP INDEX search_documents_path;
DROP TABLE search_documents;
