/**
 * features/coordination/channels/stream: StreamChannelEvents: one hub per followed channel and process, one reader per stream, history
 * at the reader's pace, live events through streams. Does not write the log (channel-log.ts does). Called by
 * channel-operations.ts.
 */
export { ChannelActivities } from './channel-activity.ts';
export { ChannelStreams } from './channel-streams.ts';
