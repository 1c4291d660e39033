/**
 * model: what a conversation is: messages, their parts, what is asked of people, forms, files. Pure: no page, no network, no time.
 */
export { type Attachment, fitting, partTypeOf, sizeText } from './attachment.ts';
export { type Block, blocksOf, type ToolUse } from './block.ts';
export {
  type ChatFile,
  type ChatMessage,
  type Conversation,
  emptyConversation,
  messagesOf,
  withEvent,
  withOpenTurn,
  withOutgoing,
  withoutMessage,
  withPage,
  withSent,
  withStored,
  withUnsent,
} from './conversation.ts';
export { type PersonRequest, type RequestOption, requestOf } from './person-request.ts';
export { type Problem, problemOf } from './problem.ts';
export { type FieldProblem, type FieldValue, type FormField, fieldName, formData, formFields } from './schema-form.ts';
export type { WireEvent, WireMessage, WireMessagePage, WireSent, WireSession } from './wire.ts';
