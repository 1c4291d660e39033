/**
 * runtime/attempt: one claimed turn from its claim to its end, park or hand-over. It owns the loop (early ends, hand-over, the
 * next step, what its outcome means), the state of the turn in memory and the final transaction. It does not decide which turn
 * runs (claim), how work comes in (session) or what a kind of step does (steps). Called by the worker, through createRuntime.
 */
export { Attempt, type AttemptPorts } from './attempt.ts';
