/**
 * streams: what every stream shares: joining stored history and live events (Follow), handing one event to all who follow a feed
 * (Hub), bounded buffers for slow clients (Reader), the text of cursors, and where events leave (Sink). Does not own what an
 * event is, where truth lies, its message or its snapshot: an owner (sessions, channels, watches, console events) declares a Feed,
 * and makes a Reader and a Member for each open stream. Knows no kind of stream, has no timer and writes nothing.
 */
export * from './cursor.ts';
export * from './feed.ts';
export { deliverInPace, Follow, type FollowTarget } from './follow.ts';
export * from './hub.ts';
export * from './member.ts';
export * from './reader.ts';
export * from './recent-feed.ts';
export * from './sink.ts';
export type { ReaderLimits } from './waiting-events.ts';
