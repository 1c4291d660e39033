/**
 * jwks: tokens of an OIDC provider: its public keys, the checks of issuer, audience and time, and the grants that claims or
 * configured rules give. Issues no tokens and follows no login. Used by auth's authenticator as one more method.
 */
export { JwksCredentials } from './jwks-credentials.ts';
