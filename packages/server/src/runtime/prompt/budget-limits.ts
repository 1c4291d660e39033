import type { ModelFacts } from '../../models/contract.ts';

/** Token limits of one call (RT-3). */
export interface BudgetLimits {
  /** What may be sent: window - reserve for the answer - 2 %, halved after an overflow answer. */
  readonly effective: number;
  /** Above this after row 1 the history is compacted. */
  readonly compactAbove: number;
  /** The effective window before any halving: more than this can never be sent. */
  readonly whole: number;
}

const RESERVE_SHARE = 0.15;
const MARGIN_SHARE = 0.02;
const COMPACT_SHARE = 0.8;

export const budgetLimits = (facts: Pick<ModelFacts, 'window' | 'maxOutput'>, windowFactor: number): BudgetLimits => {
  const { window, maxOutput } = facts;
  const share = window * RESERVE_SHARE;
  const reserve = maxOutput > 0 ? Math.min(maxOutput, share) : share;
  const whole = Math.floor(window - reserve - window * MARGIN_SHARE);
  const effective = Math.floor(whole * windowFactor);
  return { effective, compactAbove: Math.floor(effective * COMPACT_SHARE), whole };
};
