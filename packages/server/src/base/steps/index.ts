/**
 * steps: long work cut into steps, so that the event loop turns in between: run in one go, in turns, or sharing the loop with the
 * work of other callers. Knows nothing of what the work is.
 */
export * from './loop-share.ts';
export * from './steps.ts';
