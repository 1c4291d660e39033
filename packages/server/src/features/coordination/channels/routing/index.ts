/**
 * features/coordination/channels/routing: which subscriptions a message reaches, and the sessions and turns that begin there: mention
 * grammar, routing decision, guard against loops, the text of the turn, and what a session knows of its channel. Does not store
 * messages. Called by message/ and publishing/.
 */
export { ChannelRouting, type RoutableMessage, type RouteOutcome, routeEvents } from './channel-routing.ts';
export { CHANNEL_LABEL, type ChannelRoute, keepRoute, type LinkedSession, routeOfSession } from './route-link.ts';
export { type SubscriptionOutcome, subscriptionOutcomes } from './subscription-outcomes.ts';
