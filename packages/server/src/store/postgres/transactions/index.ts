/**
 * store/postgres/transactions: how functions run in transactions: which of them run again, what is checked before a commit,
 * and when an answer may be given. Knows no table but those of its own checks.
 */
export { readSnapshot } from './read-runner.ts';
export { WriteRunner } from './write-runner.ts';
