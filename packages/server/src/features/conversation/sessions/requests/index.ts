/**
 * sessions/requests: what turns ask people, from outside: listing what is open, answering it by operation or by a link that needs no
 * sign-in. What a question is and how a turn waits for it belongs to runtime.
 */
export { AnswerLinks } from './answer-links.ts';
export { answerRoutes } from './answer-routes.ts';
export { RequestService } from './request-service.ts';
