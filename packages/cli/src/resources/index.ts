/**
 * resources: commands that treat all kinds alike: get, describe, create, delete, wait. What a kind is: see kinds.
 */
export { type CreateOptions, createAgent, createNamespace, createSession } from './create.ts';
export { type DeleteOptions, remove } from './delete.ts';
export { describe } from './describe.ts';
export { type GetOptions, get } from './get.ts';
export { type PurgeOptions, purgeNamespace, restoreNamespace } from './namespace.ts';
export { type WaitOptions, wait } from './wait.ts';
