/**
 * features/coordination/connectors/outbox: what agents, channels and runs say to messaging platforms, from the transaction in which it
 * is said until a connector service has taken it over. A delivery is a row of the table `deliveries` and an item of the queue; its id never
 * changes, and the service knows it by that id, so that sending it twice is harmless. Owns the order of messages, waits, windows, and what is
 * kept of ended deliveries. What people decide about them is in `review`.
 *
 * What always holds:
 * 1. A delivery is written in the transaction of what it says: both or neither.
 * 2. Each attempt begins with a claim, and its outcome is written only while that claim holds.
 * 3. Of one lane (class, conversation, thread) at most one delivery is under way, the oldest, unless an older one has failed for long.
 * 4. The label of an assistant message and its delivery change in one transaction.
 * 5. Without a registration in force deliveries wait; only an answer, the window or the end of the class ends one.
 */
export { type ConnectorFetch, ConnectorService } from './connector-service.ts';
export { DELIVERY_ACTIVITY, DeliveryBook, deliveryOf } from './delivery-book.ts';
export { deliveryClaims } from './delivery-claims.ts';
export { replyDraft } from './delivery-drafts.ts';
export type { Health } from './delivery-health.ts';
export { DELIVERY_STATUS, deliveryLabels, messageOf, showOnMessage } from './delivery-labels.ts';
export { DeliveryProgress, type ShowUndelivered } from './delivery-progress.ts';
export { type Delivery, ended, parseDelivery } from './delivery-record.ts';
export { deliveryRetention } from './delivery-retention.ts';
export { type ClassIdentity, type ClassPlace, DeliverySender, type Registrations } from './delivery-sender.ts';
export { liveConnector } from './live-connector.ts';
export { Replies } from './replies.ts';
export { consumerMode, filesOf, isSilent, laneOf, replyModeOf, replyPlace } from './reply-rules.ts';
