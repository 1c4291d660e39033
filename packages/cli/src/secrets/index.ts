/**
 * secrets: `svc secret`: values go in from standard input, a hidden question or files, and come out only with --reveal. What is
 * not asked for is never read: lists have the keys without their values.
 */
export { getSecret, listSecrets, type SecretOptions } from './read-secrets.ts';
export { rotateKey, setSecret } from './secrets.ts';
