/**
 * secrets: `svc secret`: values come from standard input, a hidden prompt or files, and are shown only with --reveal. Values
 * that are not requested are never read: lists have the keys alone.
 */
export { getSecret, listSecrets, type SecretOptions } from './read-secrets.ts';
export { rotateKey, setSecret } from './secrets.ts';
