-- Parts of three characters of the paths of documents, each path after a mark of its namespace, under the row of the document: finds
-- paths by any part of them. It only brings candidates; what is in them is compared with the path itself.
CREATE VIRTUAL TABLE search_paths USING fts5(
  path,
  content='', detail='none', columnsize=0, tokenize='trigram case_sensitive 1'
);

-- The model whose vectors all chunks of the document have; '' = none yet. What has another one than the configured is worked on.
ALTER TABLE search_documents ADD COLUMN embedded TEXT NOT NULL DEFAULT '';
CREATE INDEX search_documents_embedded ON search_documents (embedded, row);

-- Vectors of chunks, by whatever model made them: 32-bit floats, little-endian, of unit length.
CREATE TABLE search_vectors (
  chunk INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT;

-- The same vectors, short enough that a search reads those of all its namespaces, in the order in which it reads them.
CREATE TABLE search_sketches (
  namespace TEXT NOT NULL,
  model TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  sketch BLOB NOT NULL,
  PRIMARY KEY (namespace, model, chunk)
) STRICT, WITHOUT ROWID;
CREATE INDEX search_sketches_chunk ON search_sketches (chunk);

-- A number of a chunk is given again after its row is gone, also by a release that knows nothing of vectors.
CREATE TRIGGER search_chunks_removed AFTER DELETE ON search_chunks BEGIN
  DELETE FROM search_vectors WHERE chunk = OLD.row;
  DELETE FROM search_sketches WHERE chunk = OLD.row;
END;
