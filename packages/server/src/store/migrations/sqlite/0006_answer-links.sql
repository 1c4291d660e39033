CREATE TABLE answer_links (
  token_hash TEXT PRIMARY KEY,
  request_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX answer_links_expiry ON answer_links (expires_at);
-- Open requests of all namespaces, oldest first.
CREATE INDEX permissions_open_id ON permissions (id) WHERE open = 1;
