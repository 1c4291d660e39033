import type { ModelMessage, ModelTool } from '../../models/contract.ts';
import type { PromptPlan } from '../contract.ts';
import type { ReplayStep } from '../history/index.ts';
import { compactionPlan, latestUserIndex, tailStart } from './compaction-plan.ts';
import { dropOldest } from './drop-oldest.ts';
import type { BudgetRules, PromptDraft } from './prompt-draft.ts';
import { type CountTokens, countMessages, countTools, countUnits } from './token-count.ts';
import { trimResults } from './trim-results.ts';

/** No encoding has more tokens than UTF-8 bytes, of which a UTF-16 unit has at most three; 10 % for unknown encodings. */
const TOKENS_PER_UNIT = 3.3;

/** Rows 1 to 3 and 5 of the budget table; row 4 is the caller's halved `windowFactor`. */
export const fitPrompt = (draft: PromptDraft, rules: BudgetRules): PromptPlan => {
  const { limits, count } = rules;
  const fixed = [...draft.leading, ...draft.summary, ...draft.kept];
  const all = messagesOf(fixed, draft.steps);
  if (!rules.compactNow && fitsWithoutCounting(all, draft.tools, rules))
    return callPlan(all, draft.tools, { countedTokens: 0 });
  const fixedTokens = countMessages(fixed, count) + countTools(draft.tools, count);
  const total = (steps: readonly ReplayStep[]): number => fixedTokens + countSteps(steps, count);
  let steps = draft.steps;
  const isCut = total(steps) > limits.effective;
  if (isCut) steps = trimResults(steps, latestUserIndex(steps), count);
  if (rules.mayCompact && (rules.compactNow || total(steps) > limits.compactAbove)) {
    const plan = compactionPlan({ ...draft, steps }, rules, isCut);
    if (plan !== undefined) return plan;
  }
  const keepFrom = tailStart(steps, draft.turnId);
  const fitted = dropOldest(steps, { keepFrom, excess: total(steps) - limits.effective, count });
  const tokens = total(fitted);
  if (tokens > limits.whole) return { kind: 'overflow' };
  return callPlan(messagesOf(fixed, fitted), draft.tools, {
    countedTokens: tokens,
    ...(isCut ? { fitTo: limits.effective } : {}),
  });
};

const fitsWithoutCounting = (
  messages: readonly ModelMessage[],
  tools: readonly ModelTool[],
  rules: BudgetRules,
): boolean => {
  const { compactAbove } = rules.limits;
  const units = countUnits(messages, tools);
  if (units * TOKENS_PER_UNIT <= compactAbove) return true;
  return countMessages(messages, rules.bound) + countTools(tools, rules.bound) <= compactAbove;
};

const countSteps = (steps: readonly ReplayStep[], count: CountTokens): number =>
  steps.reduce((tokens, step) => tokens + countMessages(step.messages, count), 0);

const messagesOf = (fixed: readonly ModelMessage[], steps: readonly ReplayStep[]): readonly ModelMessage[] => [
  ...fixed,
  ...steps.flatMap((step) => step.messages),
];

const callPlan = (
  messages: readonly ModelMessage[],
  tools: readonly ModelTool[],
  size: { readonly countedTokens: number; readonly fitTo?: number },
): PromptPlan => ({
  kind: 'call',
  messages,
  tools,
  ...size,
});
