/**
 * streams: the one way a stream joins stored history and live events: backfill, cut-over, live.
 * Owns order, duplicates and gaps. Does not own what an item is, where truth lies, slow readers or timers: its callers
 * (runtime/stream, features/coordination/channels/stream) hand in a Feed and a target.
 */
export * from './follow.ts';
