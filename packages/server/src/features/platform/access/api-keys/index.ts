/**
 * api-keys: the keys that people make for programs: their records, how a credential is recognised, and the operations that
 * make, list and revoke them. Does not decide what a key may do (auth does, by its grants). Called by access and app.
 */
export { ApiKeyDirectory } from './api-key-directory.ts';
export { apiKeyOperations } from './api-key-operations.ts';
