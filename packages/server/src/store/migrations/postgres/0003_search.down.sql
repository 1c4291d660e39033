DROP TABLE search_words;
DROP TABLE search_chunks;
DROP TABLE search_documents;
