/**
 * demo: the deterministic provider without key and network, and its embeddings, which nothing asks for before there
 * is search by meaning. Its files cite rows X1-X19 of that chapter. Created by the driver table; the memory is shared with
 * the registry for `releaseHold`.
 */
export { DemoDriver } from './demo-driver.ts';
export { DemoMemory } from './demo-memory.ts';
