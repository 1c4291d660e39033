DROP TABLE oauth_clients;
DROP INDEX mcp_sign_ins_expiry;
DROP INDEX mcp_sign_ins_grant;
DROP TABLE mcp_sign_ins;
DROP TABLE mcp_grants;
