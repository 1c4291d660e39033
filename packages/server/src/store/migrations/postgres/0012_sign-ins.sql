-- Tokens for MCP servers, by namespace, server and person; sealed is encrypted, body is the feature's JSON.
CREATE TABLE mcp_grants (
  namespace text COLLATE "C" NOT NULL,
  server_uid text COLLATE "C" NOT NULL,
  identity text COLLATE "C" NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (namespace, server_uid, identity)
);
-- Sign-ins that began, by the hash of their state.
CREATE TABLE mcp_sign_ins (
  state_hash text COLLATE "C" PRIMARY KEY,
  grant_id text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  body text NOT NULL
);
CREATE INDEX mcp_sign_ins_grant ON mcp_sign_ins (grant_id, state_hash);
CREATE INDEX mcp_sign_ins_expiry ON mcp_sign_ins (expires_at, state_hash);
-- What this server is registered as at authorization servers.
CREATE TABLE oauth_clients (
  issuer text COLLATE "C" NOT NULL,
  redirect_url text COLLATE "C" NOT NULL,
  sealed text COLLATE "C" NOT NULL,
  PRIMARY KEY (issuer, redirect_url)
);
