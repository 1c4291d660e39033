/**
 * features/coordination/channels/message: messages of channels: the rules of a post, its transaction, lists, and the wire
 * form of stored messages. Does not follow channels and does not decide who is notified. Called by channel-operations.ts
 * and stream/.
 */
export { MessageForms } from './message-form.ts';
export { ChannelMessageService } from './message-service.ts';
export { postBody } from './post-body.ts';
