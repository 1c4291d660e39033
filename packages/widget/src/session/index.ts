/**
 * session: one conversation on a server: access, calls, the stream that continues after every failure, and the state of it all. Knows no
 * page; what it needs of one is handed in.
 */
export { ChatCalls, type ChatNames, type RequestAnswer } from './chat-calls.ts';
export { ChatController } from './chat-controller.ts';
export { type ChatState, initialState, mediaKey, type PendingAnswer } from './chat-state.ts';
export { type TokenCallback, TokenSource } from './token-source.ts';
