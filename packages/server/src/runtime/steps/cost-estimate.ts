import type { ModelRegistry, ModelTarget } from '../../models/contract.ts';
import type { CostEstimate, PromptPlan } from '../contract.ts';
import { countPrompt } from '../prompt/index.ts';
import { parseSide } from '../record/index.ts';
import type { StepTurn } from './contract.ts';
import { targetKey } from './model-call/index.ts';

/** What a model call sends and may bring. */
export interface EstimatedCall extends Pick<Extract<PromptPlan, { kind: 'call' }>, 'messages' | 'tools'> {
  /** Absent: as much as the model writes at once. */
  readonly maxOutputTokens?: number;
}

/** Corrections further off than this are not believed. */
const CORRECTION_MAX = 2;
const CORRECTION_MIN = 0.5;

/**
 * What a call costs at most: its prompt at the dearest price that input has, and an answer of full length. Undefined for a model without
 * a price, which counts as free.
 */
export const costEstimate = (
  { session }: Pick<StepTurn, 'session'>,
  target: ModelTarget,
  { call, models }: { readonly call: EstimatedCall; readonly models: Pick<ModelRegistry, 'facts' | 'countTokens'> },
): CostEstimate | undefined => {
  const { prices, maxOutput } = models.facts(target);
  if (prices === undefined) return undefined;
  const { input, output, cachedInput = input, cacheWrite = input, reasoning = output } = prices;
  const counted = countPrompt(call, (text) => models.countTokens(target, text));
  const reported = parseSide(session).tokenCorrection[targetKey(target)] ?? 1;
  const correction = Math.min(CORRECTION_MAX, Math.max(CORRECTION_MIN, reported));
  return {
    promptMicros: Math.ceil(counted * correction * Math.max(input, cachedInput, cacheWrite)),
    tokenMicros: Math.max(output, reasoning),
    outputTokens: call.maxOutputTokens ?? maxOutput,
  };
};
