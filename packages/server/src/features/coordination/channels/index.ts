/**
 * features/coordination/channels: channels, their messages, subscriptions and event streams, the agents that messages reach and what these
 * publish. Owns the kinds Channel and ChannelSubscription, the 14 operations, the event log and the rules of mentions and routing. Does
 * not own agents, sessions or turns (runtime). Called by app, which mounts the operations, registers contracts, controller and queue
 * workers, and hands the hook to the runtime.
 */
export { channelsModule } from './channels-module.ts';
export { createChannelHook } from './publishing/index.ts';
export { routeOfSession } from './routing/index.ts';
