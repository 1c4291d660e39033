/**
 * models: everything between a model request and its chunks: drivers, demo provider, catalogue, keys, tries,
 * time-outs, breaker, token counts. Knows nothing of turns, stores or agents: prompts come in complete, chunks go out.
 * Fail-over between profiles and stream restarts are decided by runtime, from the flags of the error chunk.
 * Called by runtime (stream), features (facts, providers) and app (wiring). Heavy libraries load with their first use.
 */
export type * from './contract.ts';

export { createModelRegistry } from './registry.ts';
