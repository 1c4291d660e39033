/**
 * features/platform/admin: what the operator of an instance asks it: the configuration in force, whether it is well, and what it writes to its log. Changes
 * nothing; keys (secrets), workers and backups have their own features. app hands in the facts and mounts the operations.
 */
export { adminModule } from './admin-module.ts';
