import { keyedTable } from './keyed-table.ts';

/** Who may use which MCP server with which tokens. `sealed` is the feature's JSON, encrypted with the keys of secrets. */
export const MCP_GRANTS = keyedTable({
  name: 'mcp_grants',
  // An empty identity stands for everyone in the namespace.
  columns: { namespace: 'text', serverUid: 'text', identity: 'text', sealed: 'text', body: 'json' },
  key: ['namespace', 'serverUid', 'identity'],
  fixed: [],
  queries: {
    ofNamespace: { equal: ['namespace'], order: ['serverUid', 'identity'], direction: 'ascending' },
    all: { equal: [], order: ['namespace', 'serverUid', 'identity'], direction: 'ascending' },
  },
});

/** Sign-ins that began and did not come back yet, by the hash of the secret part of their address. */
export const MCP_SIGN_INS = keyedTable({
  name: 'mcp_sign_ins',
  columns: { stateHash: 'text', grantId: 'text', expiresAt: 'integer', sealed: 'text', body: 'json' },
  key: ['stateHash'],
  fixed: ['grantId'],
  queries: {
    ofGrant: { equal: ['grantId'], order: ['stateHash'], direction: 'ascending' },
    oldest: { equal: [], order: ['expiresAt', 'stateHash'], direction: 'ascending' },
  },
});

/** What svc was registered as at authorization servers. */
export const OAUTH_CLIENTS = keyedTable({
  name: 'oauth_clients',
  columns: { issuer: 'text', redirectUrl: 'text', sealed: 'text' },
  key: ['issuer', 'redirectUrl'],
  fixed: [],
  queries: { all: { equal: [], order: ['issuer', 'redirectUrl'], direction: 'ascending' } },
});
