/**
 * features/coordination/channels/subscription: ChannelSubscription as a resource: rules, contract, controller and its five operations.
 * Which message reaches a subscription is routing's business. Called by channel-operations.ts and app.
 */
export { subscriptionContract } from './subscription-kind.ts';
export { contextSize, isSubscriptionOff, type ReplyMode, replyModeOf } from './subscription-rules.ts';
export { SubscriptionService } from './subscription-service.ts';
