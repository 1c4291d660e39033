/**
 * conformance: what the model contract promises for every driver, run against demo and all wire protocols; an engine's own
 * test file only says how to make it answer.
 */
export { describeModelDriver } from './model-conformance.ts';
