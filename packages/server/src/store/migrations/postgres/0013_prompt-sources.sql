-- Texts that requests to models were made of, each once for a namespace: body is JSON, hash its SHA-256.
CREATE TABLE prompt_sources (
  namespace text COLLATE "C" NOT NULL,
  hash text COLLATE "C" NOT NULL,
  body text NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (namespace, hash)
);
CREATE INDEX prompt_sources_oldest ON prompt_sources (expires_at, namespace, hash);
