/**
 * runtime/session: what may be done to a session besides sending to it: create, delete, clear, fork, append, stop,
 * answer. Each runs in the caller's transaction. It does not admit work and does not run turns. Called by features.
 */
export { createSessionLifecycle } from './session-lifecycle.ts';
