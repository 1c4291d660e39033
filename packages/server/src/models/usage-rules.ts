import type { ReportedUsage } from './attempt.ts';
import type { ModelsConfig, ModelTarget, ModelUsage } from './contract.ts';

/** Tokens per unit of `models.prices`. */
const PRICE_UNIT = 1_000_000;

export type Price = ModelsConfig['prices'][string];

const wholeTokens = (value: number | undefined): number =>
  value === undefined || !Number.isFinite(value) || value < 0 ? 0 : Math.floor(value);

interface UsageFacts {
  readonly target: ModelTarget;
  readonly price: Price | undefined;
  readonly providerRequestId: string | undefined;
  readonly isEstimated: boolean;
}

/**
 * Usage as svc counts it: input includes cached, output includes reasoning, total as given or their sum. Cached input
 * costs its own price when there is one.
 */
export const normaliseUsage = (reported: ReportedUsage, facts: UsageFacts): ModelUsage => {
  const inputTokens = wholeTokens(reported.inputTokens);
  const outputTokens = wholeTokens(reported.outputTokens);
  const cachedInputTokens = wholeTokens(reported.cachedInputTokens);
  const total = wholeTokens(reported.totalTokens);
  const { price } = facts;
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens: wholeTokens(reported.cacheWriteTokens),
    outputTokens,
    reasoningTokens: wholeTokens(reported.reasoningTokens),
    totalTokens: total > 0 ? total : inputTokens + outputTokens,
    usageAvailable: !facts.isEstimated,
    estimated: facts.isEstimated,
    provider: facts.target.provider,
    model: facts.target.model,
    ...(facts.providerRequestId === undefined ? {} : { providerRequestId: facts.providerRequestId }),
    ...(price === undefined ? {} : { cost: costOf({ inputTokens, cachedInputTokens, outputTokens }, price) }),
  };
};

const costOf = (
  tokens: { readonly inputTokens: number; readonly cachedInputTokens: number; readonly outputTokens: number },
  price: Price,
): number => {
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const input = (tokens.inputTokens - cached) * price.input + cached * (price.cachedInput ?? price.input);
  return (input + tokens.outputTokens * price.output) / PRICE_UNIT;
};
