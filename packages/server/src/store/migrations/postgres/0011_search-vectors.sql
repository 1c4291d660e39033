-- What waits to be merged into the index of words is merged by whichever write comes next: in small portions, so that none takes long.
ALTER INDEX search_words_vector SET (gin_pending_list_limit = 512);

-- The model whose vectors all chunks of the document have; '' = none yet. What has another one than the configured is worked on.
ALTER TABLE search_documents ADD COLUMN embedded text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX search_documents_embedded ON search_documents (embedded, row);

-- Vectors of chunks, by whatever model made them, of unit length. Numbers and no type of an extension, so that every database holds them.
CREATE TABLE search_vectors (
  chunk bigint PRIMARY KEY REFERENCES search_chunks (row) ON DELETE CASCADE,
  model text COLLATE "C" NOT NULL,
  vector real[] NOT NULL
);
