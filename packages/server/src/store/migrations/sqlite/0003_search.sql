-- Documents of text search by the uid of what holds them. path_folded is the path in lower case.
CREATE TABLE search_documents (
  row INTEGER PRIMARY KEY,
  source TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  namespace TEXT NOT NULL,
  name TEXT NOT NULL,
  path TEXT NOT NULL,
  path_folded TEXT NOT NULL,
  path_words TEXT NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX search_documents_path ON search_documents (namespace, kind, path);

-- Ordinals rise from 0; the first chunk stands for a document that is found by its path. words NULL = as body.
CREATE TABLE search_chunks (
  row INTEGER PRIMARY KEY,
  document INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  heading TEXT NOT NULL,
  body TEXT NOT NULL,
  words TEXT,
  UNIQUE (document, ordinal)
) STRICT;

-- The words of a chunk under its row; scope is a token of the namespace, so that a search walks its own namespaces only.
-- Rows go by the command 'delete' with what was put in: contentless_delete leaves rowids beyond 2^53 behind as the
-- connection's last one, which the driver refuses to read.
CREATE VIRTUAL TABLE search_words USING fts5(
  scope, path, heading, body,
  content='', tokenize='unicode61 remove_diacritics 2'
);
