/**
 * features/platform/admin: what the operator of an instance asks it: the configuration in force, and whether it is well. Changes
 * nothing; keys (secrets), workers and backups have their own features. app hands in the facts and mounts the operations.
 */
export { adminModule } from './admin-module.ts';
