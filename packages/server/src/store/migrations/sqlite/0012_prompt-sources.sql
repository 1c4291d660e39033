-- Texts that requests to models were made of, each once for a namespace: body is JSON, hash its SHA-256.
CREATE TABLE prompt_sources (
  namespace TEXT NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (namespace, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX prompt_sources_oldest ON prompt_sources (expires_at, namespace, hash);
