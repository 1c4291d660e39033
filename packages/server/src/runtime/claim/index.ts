/**
 * runtime/claim: which turn runs here and for how long. It owns the claiming of ready turns, the claim that guards every
 * write of a turn, renewals, the worker's slots, the release of dead claims and the sweeper. It does not know what an
 * attempt does: the worker is handed a function that begins one. Called by the runtime's start and by attempt and steps.
 */

export { Sweeper } from './sweeper.ts';
export {
  type ClaimChange,
  type ClaimedTurn,
  type ClaimPorts,
  type ClaimState,
  type RecordedNews,
  TurnClaim,
} from './turn-claim.ts';
export { type RunningTurn, TurnWorker } from './turn-worker.ts';
