/**
 * features/coordination/connectors/consumers: what becomes of a routed event: a turn in a session, a message in a channel, or a run of a
 * workflow, in the transaction of the event. What channels and workflows do is theirs; this folder says what it needs of them.
 */
export { type ConsumersDeps, consume } from './consume.ts';
export { type Consumed, consumerReplyMode, Refused } from './consumer.ts';
