/**
 * features/access: what callers can find out about access: who they are, and the audit log. Keys and tokens come with later
 * operations. Does not decide access (auth does) and writes no audit records.
 */
export { type AccessDeps, accessOperations } from './access-operations.ts';
