-- Leases of sandboxes, and who waits for one. since orders those who wait; body is the feature's JSON.
CREATE TABLE sandbox_leases (
  id TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  since INTEGER NOT NULL,
  state TEXT NOT NULL,
  token TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sandbox_leases_scope ON sandbox_leases (scope, since, id);
