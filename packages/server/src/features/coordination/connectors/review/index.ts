/**
 * features/coordination/connectors/review: what people decide about deliveries: they release or skip replies that wait for them, and send
 * again what failed, by the label of the assistant message or by DeliveryService. Sends nothing itself. Called by the operations of this
 * feature and by those that change session messages.
 */
export { DeliveryActivities } from './delivery-activity.ts';
export { deliveryOperations } from './delivery-operations.ts';
export { DeliveryReview } from './delivery-review.ts';
