/**
 * features/conversation/sessions: conversations as callers see them: the session operations, SessionControlService, their streams.
 * Owns request rules, inbound attachments and the wire form of messages, parts, events and
 * turns. Does not own admission, turns or stops (runtime), following (runtime/stream) or deliveries. Called by app, which
 * mounts the operations and hands the browser surface what it needs.
 */
export { sessionsModule } from './sessions-module.ts';
