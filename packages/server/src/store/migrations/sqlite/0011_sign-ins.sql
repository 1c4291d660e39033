-- Tokens for MCP servers, by namespace, server and person; sealed is encrypted, body is the feature's JSON.
CREATE TABLE mcp_grants (
  namespace TEXT NOT NULL,
  server_uid TEXT NOT NULL,
  identity TEXT NOT NULL,
  sealed TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (namespace, server_uid, identity)
) STRICT, WITHOUT ROWID;
-- Sign-ins that began, by the hash of their state.
CREATE TABLE mcp_sign_ins (
  state_hash TEXT PRIMARY KEY,
  grant_id TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  sealed TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX mcp_sign_ins_grant ON mcp_sign_ins (grant_id, state_hash);
CREATE INDEX mcp_sign_ins_expiry ON mcp_sign_ins (expires_at, state_hash);
-- What this server is registered as at authorization servers.
CREATE TABLE oauth_clients (
  issuer TEXT NOT NULL,
  redirect_url TEXT NOT NULL,
  sealed TEXT NOT NULL,
  PRIMARY KEY (issuer, redirect_url)
) STRICT, WITHOUT ROWID;
