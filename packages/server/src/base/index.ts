/**
 * base: what every folder may use and what knows nothing about the product: faults and violations, time and durations, ids,
 * randomness, JSON texts of limited nesting, data: urls, log lines, page tokens, bounded caches, work in steps and threads, work next to a queue,
 * files that only their owner reads. Imports only `node:`. Nothing here reads the environment, or a clock other than the one
 * that app passes in.
 */
export * from './assert.ts';
export * from './background-work.ts';
export * from './backoff.ts';
export * from './bounded-cache.ts';
export * from './clock.ts';
export * from './coalesced-runs.ts';
export * from './data-url.ts';
export * from './duration.ts';
export * from './fault.ts';
export * from './files/index.ts';
export * from './ids.ts';
export * from './json/index.ts';
export * from './log.ts';
export * from './page-token.ts';
export * from './random.ts';
export * from './steps/index.ts';
export * from './together.ts';
export { firstNames, SEARCH_WORDS_FORM, searchWords } from './words/index.ts';
export * from './written-values.ts';
