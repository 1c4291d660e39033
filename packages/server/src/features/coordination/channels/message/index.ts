/**
 * features/coordination/channels/message: messages of channels: the rules of a post, its transaction, lists, and the wire
 * form of stored messages. Does not follow channels and does not decide which agents they reach. Called by channel-operations.ts,
 * publishing/ and stream/.
 */
export { MessageForms } from './message-form.ts';
export { isContentTooLarge } from './message-rules.ts';
export { ChannelMessageService } from './message-service.ts';
export { MessageWrites } from './message-writes.ts';
export { OutsidePosts } from './outside-posts.ts';
export { postBody } from './post-body.ts';
