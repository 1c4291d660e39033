-- Leases of sandboxes, and who waits for one. since orders those who wait; body is the feature's JSON.
CREATE TABLE sandbox_leases (
  id text COLLATE "C" PRIMARY KEY,
  scope text COLLATE "C" NOT NULL,
  since bigint NOT NULL,
  state text COLLATE "C" NOT NULL,
  token text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  used_at bigint NOT NULL,
  body text NOT NULL
);
CREATE INDEX sandbox_leases_scope ON sandbox_leases (scope, since, id);
