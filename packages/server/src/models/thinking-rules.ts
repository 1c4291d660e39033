import type { CatalogueEntry } from './catalogue/index.ts';
import type { ThinkingOptions } from './contract.ts';

/** Efforts from the least to the most. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const HIGH_BUDGET = 24_576;

const BUDGETS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 1024,
  low: 4096,
  medium: 10_240,
  high: HIGH_BUDGET,
};

/** Sent when thinking is enabled and neither effort nor budget says how much. */
const DEFAULT_EFFORT = 'medium';

/** The effort itself when supported, else the nearest lower one, else the lowest supported one that thinks. */
export const supportedEffort = (effort: string, supported: readonly string[]): string | undefined => {
  if (supported.includes(effort)) return effort;
  const wanted = (EFFORTS as readonly string[]).indexOf(effort);
  if (wanted < 0) return undefined;
  for (let index = wanted - 1; index >= 1; index--) {
    const candidate = EFFORTS[index];
    if (candidate !== undefined && supported.includes(candidate)) return candidate;
  }
  return EFFORTS.find((candidate) => candidate !== 'none' && supported.includes(candidate));
};

/** Tokens of an effort; xhigh and max are the model's largest budget. Never above that. */
export const budgetOfEffort = (effort: string, largest: number): number =>
  Math.min(BUDGETS[effort] ?? largest, largest);

/** The nearest lower effort of a budget; a budget below the least is `minimal`. */
export const effortOfBudget = (budgetTokens: number, largest: number): string => {
  if (budgetTokens >= largest && largest > HIGH_BUDGET) return 'xhigh';
  if (budgetTokens >= HIGH_BUDGET) return 'high';
  if (budgetTokens >= 10_240) return 'medium';
  if (budgetTokens >= 4096) return 'low';
  return 'minimal';
};

/** What the agent asked for, in the words of the model: how much, or not at all. */
export type ThinkingPlan =
  | { readonly kind: 'unset' }
  | { readonly kind: 'off' }
  | {
      readonly kind: 'on';
      /** True when `enabled` was set: summaries are asked for. */
      readonly isExplicit: boolean;
      /** Effort for models that take one; absent lets the provider choose. */
      readonly effort: string | undefined;
      /** Budget for models that take one. */
      readonly budgetTokens: number;
    };

type Amount = { readonly effort: string | undefined; readonly budgetTokens: number };

const amountOf = (thinking: ThinkingOptions, facts: CatalogueEntry): Amount => {
  const { budgetTokens, effort } = thinking;
  const isBudgetNative = facts.thinking === 'budget';
  const useBudget = budgetTokens !== undefined && (effort === undefined || isBudgetNative);
  if (useBudget) {
    return {
      effort: effortOfBudget(budgetTokens, facts.largestBudget),
      budgetTokens: Math.min(budgetTokens, facts.largestBudget),
    };
  }
  if (effort !== undefined) return { effort, budgetTokens: budgetOfEffort(effort, facts.largestBudget) };
  return { effort: undefined, budgetTokens: budgetOfEffort(DEFAULT_EFFORT, facts.largestBudget) };
};

/** With both effort and budget set, the one the model supports natively wins. Effort `none` is off. */
export const planThinking = (thinking: ThinkingOptions | undefined, facts: CatalogueEntry): ThinkingPlan => {
  if (thinking === undefined) return { kind: 'unset' };
  const { enabled, budgetTokens, effort } = thinking;
  if (enabled === false) return { kind: 'off' };
  if (enabled === undefined && budgetTokens === undefined && effort === undefined) return { kind: 'unset' };
  const amount = amountOf(thinking, facts);
  if (amount.effort === 'none' || (facts.thinking === 'budget' && budgetTokens === 0)) return { kind: 'off' };
  const supported =
    amount.effort === undefined ? undefined : (supportedEffort(amount.effort, facts.efforts) ?? amount.effort);
  return { kind: 'on', isExplicit: enabled === true, effort: supported, budgetTokens: amount.budgetTokens };
};

/** Effort of models that need one to think at all. */
export const effortOrDefault = (effort: string | undefined, facts: CatalogueEntry): string =>
  effort ?? supportedEffort(DEFAULT_EFFORT, facts.efforts) ?? DEFAULT_EFFORT;
