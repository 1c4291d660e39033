/**
 * idempotency: a call that carries an idempotency key has its effect once, and later calls with that key get the stored answer. Owns
 * the records of such calls, their hashes and their expiry. Which operations honour a key, their declarations say (operations/); the
 * form of a key is checked by transport. Does the same for tool calls that run again after a crash. Called by the features whose
 * operations or tools do, and by app, which runs the expiry.
 */
export { earlierAnswer, oncePerCall } from './call-effect.ts';
export { answerExpiry } from './expiry.ts';
export { type KeptForm, messageForm, type RepeatableForm, repeatableCall, writeOnce } from './repeatable-call.ts';
