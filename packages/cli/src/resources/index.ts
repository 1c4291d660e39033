/**
 * resources: commands for all kinds: get, describe, create, delete, wait. The folder kinds says what a kind is.
 */
export { type CreateOptions, createAgent, createNamespace, createSession } from './create.ts';
export { type DeleteOptions, remove } from './delete.ts';
export { describe } from './describe.ts';
export { type GetOptions, get } from './get.ts';
export { type PurgeOptions, purgeNamespace, restoreNamespace } from './namespace.ts';
export { type WaitOptions, wait } from './wait.ts';
