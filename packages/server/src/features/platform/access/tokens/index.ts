/**
 * tokens: short-lived tokens that the instance signs itself: the key that all nodes of a store share, sealed there, its public half, making
 * and recognising tokens. Keeps no token. Called by access and app; other services verify with `/.well-known/jwks.json`.
 */
export { AccessTokens, type PlatformToken } from './access-tokens.ts';
export { keySetRoute } from './key-set-route.ts';
export { SEALED_TOKEN_KEY, TokenKeys } from './token-keys.ts';
export { tokenOperations } from './token-operations.ts';
