/**
 * steps: long work that must not hold up the event loop: cut into steps, run in one go, in turns, or sharing the loop with the work
 * of other callers; or given to a thread. Knows nothing of what the work is.
 */
export * from './loop-share.ts';
export * from './pieces.ts';
export * from './steps.ts';
export * from './work-thread.ts';
