/**
 * demo: the deterministic provider without key and network (RT-4.6), and its embeddings. Rows X1-X19 are cited in its
 * files. Created by the driver table; the memory is shared with the registry for `releaseHold`.
 */
export { DemoDriver } from './demo-driver.ts';
export { DemoMemory } from './demo-memory.ts';
