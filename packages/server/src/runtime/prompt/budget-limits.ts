import type { ModelFacts } from '../../models/contract.ts';

/** Token limits of one call. */
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

/** A report further off than this is not believed: it would make every later call overflow, or none. */
const CORRECTION_RANGE = { least: 0.5, most: 2 } as const;

/** Limits in counted tokens: where the model reports more than is counted, fewer counted ones fit. */
export const budgetLimits = (
  facts: Pick<ModelFacts, 'window' | 'maxOutput'>,
  request: { readonly windowFactor: number; readonly tokenCorrection: number },
): BudgetLimits => {
  const { window, maxOutput } = facts;
  const share = window * RESERVE_SHARE;
  const reserve = maxOutput > 0 ? Math.min(maxOutput, share) : share;
  const correction = Math.min(CORRECTION_RANGE.most, Math.max(CORRECTION_RANGE.least, request.tokenCorrection || 1));
  const whole = Math.floor((window - reserve - window * MARGIN_SHARE) / correction);
  const effective = Math.floor(whole * request.windowFactor);
  return { effective, compactAbove: Math.floor(effective * COMPACT_SHARE), whole };
};
