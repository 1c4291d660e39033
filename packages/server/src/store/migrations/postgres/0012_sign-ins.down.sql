DROP TABLE oauth_clients;
DROP TABLE mcp_sign_ins;
DROP TABLE mcp_grants;
