/**
 * features/conversation/sessions/wire: stored rows and live events as wire messages, frozen and shared so that each is built and encoded
 * once. Pure but for its caches; reads no store. Called by the services of features/conversation/sessions.
 */
export * from './event-messages.ts';
export * from './message-messages.ts';
export * from './part-messages.ts';
export * from './session-responses.ts';
export * from './turn-messages.ts';
