/**
 * features/coordination/channels/stream: StreamChannelEvents: the events of a channel as a feed, their messages and cursors. How a stream
 * joins history and live events is in streams. Does not write the log (channel-log.ts does). Called by channel-operations.ts.
 */
export { ChannelActivities } from './channel-activity.ts';
export { ChannelStreams } from './channel-streams.ts';
