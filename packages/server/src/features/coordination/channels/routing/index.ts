/**
 * features/coordination/channels/routing: which subscriptions a post reaches: mention grammar and routing decision, pure.
 * Creates no session and runs no turn. Nothing calls it before posts are routed to agents; its rules are tested as they are.
 */
export { findMentions, isMentioned } from './mention-rules.ts';
export { matchingSubscriptions, type RoutedMessage } from './routing-rules.ts';
