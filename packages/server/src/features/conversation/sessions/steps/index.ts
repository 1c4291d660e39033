/**
 * features/conversation/sessions/steps: the model calls of a turn as callers see them, and the request of each, in pages of pieces. What
 * was sent is rebuilt by the runtime; what it cost in cached tokens is spread over the pieces here. Called by the operations of sessions.
 */
export { StepService } from './step-service.ts';
