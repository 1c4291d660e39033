/**
 * runtime/turn: the life of one claimed turn, from its claim to its terminal event. It owns the step loop, the
 * parts of a step, permission requests and the final transaction. It does not decide
 * which turn runs (worker) nor how work comes in (admission); it sees the store only through the turn's claim.
 */

export { TurnRun } from './attempt.ts';
