/**
 * runtime/session: what happens to the turns of a session inside somebody's transaction: admission (the only way in for
 * work), the queue, stopping, the common part of every end, answers to permission questions, and create, delete, clear, fork,
 * append. It does not run turns and waits for nothing but its transaction. Called by features (admission and lifecycle), by
 * claim, steps and attempt where a turn ends, parks or is released, and by the goal tools (`createSessionGoals`).
 */
export { createAdmission } from './admission.ts';
export { createCallWakes } from './call-wakes.ts';
export { closePermissions, expirePermissions } from './permission-answers.ts';
export { createSourceKeeper, type KeepSources, trimSources } from './prompt-sources.ts';
export { createSessionGoals } from './session-goals.ts';
export { createSessionLifecycle } from './session-lifecycle.ts';
export { createSessionSkills } from './session-skills.ts';
export {
  type FinishPorts,
  finishTurn,
  holdObjects,
  type ProgressPorts,
  releasePendingStops,
  runProgressHooks,
  storeAssistantMessage,
} from './turn-finish.ts';
export { finishUnclaimed, publishAfterCommit } from './turn-stop.ts';
