/**
 * runtime/stream: events of sessions as readers see them: cutting them from recorded parts, their order and cursors, where a stream
 * begins, and what the bus did not bring. How a stream joins history and live events, and treats slow readers, is in streams. Reads
 * the store, the bus and the turns running here; writes nothing. app makes one StreamRegistry per process; features see only
 * `stream-contract.ts`.
 */
export { createActivityHook } from './activity-hook.ts';
/** @internal Tests put them together by themselves. */
export { createAnswerCursors } from './answer-cursor.ts';
export { createStreams } from './create-streams.ts';
/** @internal Tests put them together by themselves. */
export { CursorCodec } from './cursor.ts';
/** @internal Tests put them together by themselves. */
export { StreamRegistry } from './session-streams.ts';
export * from './stream-contract.ts';
