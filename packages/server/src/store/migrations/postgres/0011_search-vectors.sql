-- What waits to be merged into the index of words is merged by whichever write comes next: in small portions, so that none takes long.
ALTER INDEX search_words_vector SET (gin_pending_list_limit = 512);

-- The model whose vectors all chunks of the document have; '' = none yet. What has another one than the configured is worked on.
ALTER TABLE search_documents ADD COLUMN embedded text COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX search_documents_embedded ON search_documents (embedded, row);

-- Vectors of chunks, by whatever model made them, of unit length. Numbers and no type of an extension, so that every database holds them.
CREATE TABLE search_vectors (
  chunk bigint PRIMARY KEY,
  model text COLLATE "C" NOT NULL,
  vector real[] NOT NULL
);

-- A vector goes with its chunk, also where a release deletes that knows nothing of vectors. No foreign key: it would forbid TRUNCATE,
-- by which a restore empties the tables and begins their numbers anew.
CREATE FUNCTION search_chunks_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM search_vectors;
  ELSE
    DELETE FROM search_vectors WHERE chunk = OLD.row;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER search_chunks_removed AFTER DELETE ON search_chunks FOR EACH ROW EXECUTE FUNCTION search_chunks_removed();
CREATE TRIGGER search_chunks_emptied AFTER TRUNCATE ON search_chunks
  FOR EACH STATEMENT EXECUTE FUNCTION search_chunks_removed();
