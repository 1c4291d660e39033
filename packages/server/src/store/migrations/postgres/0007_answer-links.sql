CREATE TABLE answer_links (
  token_hash text COLLATE "C" PRIMARY KEY,
  request_id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX answer_links_expiry ON answer_links (expires_at);
-- Open requests of all namespaces, oldest first.
CREATE INDEX permissions_open_id ON permissions (id) WHERE open = 1;
