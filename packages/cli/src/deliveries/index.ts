/**
 * deliveries: what goes to messaging platforms: lists, and what people decide about held and failed messages.
 */
export { type DeliveryOptions, decideDelivery, listDeliveries, showDelivery } from './deliveries.ts';
