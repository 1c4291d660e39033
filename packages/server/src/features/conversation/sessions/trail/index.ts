/**
 * features/conversation/sessions/trail: what became of a message of a session: the turn that answered it, its model calls, tools and
 * requests to people, its replies, and the turns that led to it. Read from turns and messages as they are stored; owns no record of its
 * own. What other features caused or began, they add themselves.
 */
export { sessionTrail } from './session-trail.ts';
