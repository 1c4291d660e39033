/**
 * features/coordination/channels/publishing: how agents answer in the channel that began their session: the tools, the final text of turns
 * where the subscription asks for it, and the message that both store. Called by the module, whose hook the runtime runs.
 */
export { AutoReplies, createChannelHook } from './auto-replies.ts';
export { ChannelPublishing } from './channel-publishing.ts';
export { channelTools } from './channel-tools.ts';
