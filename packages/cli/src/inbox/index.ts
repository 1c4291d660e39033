/**
 * inbox: what agents ask people, from the terminal: the list over a namespace or all of them, an answer, a link for somebody else.
 * What `svc chat` asks in place is in `chat/`.
 */

export { askData } from './answer-data.ts';
export { type AnswerOptions, answerRequest, linkRequest } from './answer-request.ts';
export { type InboxOptions, listInbox } from './list-inbox.ts';
