/**
 * store/conformance: what every engine must do, as suites for vitest. An engine's own test file is fifteen lines that call
 * one of them; what is special to an engine (group commit, crash recovery) is tested next to the engine.
 */
export { blobConformance } from './blob-suite.ts';
export { busConformance } from './bus-suite.ts';
export { type DumpUnderTest, dumpConformance } from './dump-cases.ts';
export { storeConformance } from './store-suite.ts';
export { draft, id, key, message, session, turn } from './store-under-test.ts';
export { vectorConformance } from './vector-cases.ts';
