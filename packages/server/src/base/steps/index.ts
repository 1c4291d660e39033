/**
 * steps: long work that must not block the event loop: split into steps and run in one go, in turns, or in the gaps between the work
 * of other callers; or moved to a thread. Knows nothing about the work itself.
 */
export * from './loop-share.ts';
export * from './pieces.ts';
export * from './steps.ts';
export * from './work-thread.ts';
