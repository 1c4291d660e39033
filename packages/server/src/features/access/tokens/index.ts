/**
 * tokens: short-lived tokens that the instance signs itself: the key of this node, the public keys of all nodes, making and
 * recognising tokens. Keeps no token. Called by access and app; other services verify with `/.well-known/jwks.json`.
 */
export { AccessTokens, type AccessTokensDeps } from './access-tokens.ts';
export { keySetRoute } from './key-set-route.ts';
export { openTokenKey, type TokenKey } from './token-key-file.ts';
export { TokenKeys } from './token-keys.ts';
export { type TokenOperationsDeps, tokenOperations } from './token-operations.ts';
