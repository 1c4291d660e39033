/**
 * features/authoring/secrets: Secrets as resources, the keys that encrypt sensitive values of every kind at rest, the resolution of
 * `secret://name/key`, and RotateSecretKey. Does not decide which fields are sensitive (resources) nor encrypt them
 * (the write pipeline, with this folder's key ring). app wires it; users of secrets get the resolver's functions.
 */
/** @internal Tests of features that seal values make a ring of their own. */
export { freshKey, KeyRing } from './key-ring.ts';
export { openSecretKeys, type SecretKeys } from './secret-keys.ts';
export { secretContract } from './secret-kind.ts';
export { secretOperations } from './secret-operations.ts';
export { auditSecretReads } from './secret-read-audit.ts';
export { SecretResolver } from './secret-resolver.ts';
