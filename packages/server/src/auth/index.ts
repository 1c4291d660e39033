/**
 * auth: who is calling and what may they do: credentials of every mode, grants, the targets that a request names, the limit of
 * failed sign-ins, and audit records of writes. Knows no HTTP and reads nothing to decide. Transport uses it to authenticate and authorise; features ask it about secrets and visibility and append audit records.
 */
export * from './access-denial.ts';
export * from './access-targets.ts';
export * from './audit-log.ts';
export * from './audit-verification.ts';
export * from './contract.ts';
export * from './credentials.ts';
export * from './grant-authorizer.ts';
export * from './grants.ts';
export * from './jwks/index.ts';
export * from './jwt-credentials.ts';
export * from './mode-authenticator.ts';
export * from './sign-in-audit.ts';
export * from './sign-in-limit.ts';
export * from './token-claims.ts';
