/**
 * chat: conversations at a terminal and single turns for scripts: painting a reply as it streams, through RESETs and
 * lost connections, permission questions, slash commands. Knows the client library; owns no other command.
 */
export { type ChatOptions, chat } from './chat.ts';
export { type FollowParts, followTurn } from './follow-turn.ts';
export { talkOnce } from './one-turn.ts';
export { ReplyRenderer } from './reply-renderer.ts';
