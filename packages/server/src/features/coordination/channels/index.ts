/**
 * features/coordination/channels: channels, their messages, subscriptions and event streams. Owns the kinds Channel and
 * ChannelSubscription, the 14 operations, the event log and the pure rules of mentions and routing. Does not own agents,
 * sessions or turns: posts are stored and shown; no agent hears of them before there is routing. Called by app, which mounts
 * the operations and registers contracts, controller and queue worker.
 */
export { channelsModule } from './channels-module.ts';
