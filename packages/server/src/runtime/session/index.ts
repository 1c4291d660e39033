/**
 * runtime/session: what happens to the turns of a session inside somebody's transaction: admission (the only way in for
 * work), the queue, stopping, the common part of every end, answers to permission questions, and create, delete, clear, fork,
 * append. It does not run turns: it opens no transaction and waits for nothing else. Called by features (admission and
 * lifecycle) and by claim, steps and attempt for the end, park or release of a turn.
 */
export { createAdmission } from './admission.ts';
export { closePermissions, expirePermissions } from './permission-answers.ts';
export { createSessionLifecycle } from './session-lifecycle.ts';
export {
  type FinalState,
  finishTurn,
  holdObjects,
  messageLabels,
  releasePendingStops,
  storeAssistantMessage,
} from './turn-finish.ts';
export type { SteerBody } from './turn-queue.ts';
export { closingParts, finishUnclaimed, publishAfterCommit } from './turn-stop.ts';
