/**
 * runtime/turn: the life of one claimed turn, from its claim to its terminal event. It owns the step loop, the
 * parts of a step, the guarded transactions, permission requests, stopping and the final transaction. It does not decide
 * which turn runs (worker) nor how work comes in (admission); it sees the store only through the turn's claim.
 */

export { profilesInOrder } from './profile-rules.ts';
export { isStoreAway } from './store-away.ts';
export type { ClaimedTurn } from './turn-claim.ts';
export { errorPart, type TurnErrorClass } from './turn-error.ts';
export { holdObjects, runEndHooks } from './turn-finish.ts';
export { emptyTurn, interruptPlace, newTurnBody, type SteerBody } from './turn-queue.ts';
export { TurnRun } from './turn-run.ts';
export { finishUnclaimed, publishAfterCommit, stopTurns } from './turn-stop.ts';
