/**
 * features/authoring/secrets: Secrets as resources, the keys that encrypt sensitive values of every kind at rest, the resolution of
 * `secret://name/key`, and RotateSecretKey. Does not decide which fields are sensitive (resources) nor encrypt them
 * (the write pipeline, with this folder's key ring). app wires it; users of secrets get the resolver's functions.
 */
export { openSecretKeys, type SecretKeys } from './secret-keys.ts';
export { secretsModule } from './secrets-module.ts';
