/**
 * demo: the deterministic provider without key and network, and its vectors of texts. Created by the driver table; the memory is shared
 * with the registry for `releaseHold`.
 */
export { DemoDriver } from './demo-driver.ts';
export { DemoMemory } from './demo-memory.ts';
export { embedDemo } from './embeddings.ts';
