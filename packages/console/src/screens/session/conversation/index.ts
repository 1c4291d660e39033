/** conversation: what was said in a session as rows, how it is followed, and what a person attaches. Draws nothing. */
export { type Attachment, attachmentPart, MOST_BYTES, withFiles } from './attachments.ts';
export { Conversation, type ConversationView } from './conversation.ts';
export { numberIn, payloadOf, textIn } from './part-payload.ts';
export {
  DELIVERY_LABEL,
  isWaiting,
  type MessageUsage,
  plainRows,
  type ThreadMessage,
  type ThreadRow,
  threadMessages,
  threadRows,
  wordsOf,
} from './thread-rows.ts';
