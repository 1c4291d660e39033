/**
 * features/conversation/sessions/inbound: messages on their way in: field rules of sent, appended and edited messages, and attachments
 * made objects of the namespace before the transaction; what forks override, and who may. Called by the services of features/conversation/sessions.
 */
export * from './append-rules.ts';
export * from './inbound-objects.ts';
export * from './part-rules.ts';
export * from './send-rules.ts';
export * from './session-overrides.ts';
