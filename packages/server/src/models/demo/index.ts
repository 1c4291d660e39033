/**
 * demo: the deterministic provider without key and network, and its embeddings, which nothing asks for before there
 * is search by meaning. Created by the driver table; the memory is shared with the registry for `releaseHold`.
 */
export { DemoDriver } from './demo-driver.ts';
export { DemoMemory } from './demo-memory.ts';
