/**
 * reading: bodies of the browser chat, which may hold pictures of megabytes: what is asked, and the bytes of its files. Large bodies
 * are read by a thread of their own, because a text of 30 MB takes hundreds of milliseconds to parse. Knows threads and limits of
 * size; what is done with a request belongs to features/conversation/ui. Called by the routes of the chat.
 */
export { ChatBodies } from './chat-bodies.ts';
export type { ChatAnswer } from './chat-request.ts';
