/**
 * sessions: commands about one conversation: send, read, follow, stop, clear, compact, fork, permit, what its models were
 * sent; and the search through all of them. Interactive chat is in the folder chat.
 */
export type { SessionOptions } from './open-session.ts';
export { type PromptOptions, prompt } from './prompt.ts';
export { type SearchOptions, searchSessions } from './search.ts';
export { type SendOptions, send } from './send.ts';
export { clear, compact, fork, permit, stop } from './session.ts';
export { messages, stream, watch } from './watch.ts';
