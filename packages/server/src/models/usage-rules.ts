import type { ReportedUsage } from './attempt.ts';
import type { ModelPrices, ModelTarget, ModelUsage } from './contract.ts';

/** Digits after the point that a product of tokens and prices keeps: what lies behind them is noise of the arithmetic. */
const DIGITS = 6;

const wholeTokens = (value: number | undefined): number =>
  value === undefined || !Number.isFinite(value) || value < 0 ? 0 : Math.floor(value);

interface UsageFacts {
  readonly target: ModelTarget;
  readonly prices: ModelPrices | undefined;
  readonly providerRequestId: string | undefined;
  readonly isEstimated: boolean;
}

/**
 * Usage as svc counts it: input includes what the cache gave and took, output includes reasoning, total as given or their sum.
 * Each of them costs its own price when there is one.
 */
export const normaliseUsage = (reported: ReportedUsage, facts: UsageFacts): ModelUsage => {
  const tokens = {
    inputTokens: wholeTokens(reported.inputTokens),
    cachedInputTokens: wholeTokens(reported.cachedInputTokens),
    cacheWriteTokens: wholeTokens(reported.cacheWriteTokens),
    outputTokens: wholeTokens(reported.outputTokens),
    reasoningTokens: wholeTokens(reported.reasoningTokens),
  };
  const total = wholeTokens(reported.totalTokens);
  const { prices } = facts;
  return {
    ...tokens,
    totalTokens: total > 0 ? total : tokens.inputTokens + tokens.outputTokens,
    usageAvailable: !facts.isEstimated,
    estimated: facts.isEstimated,
    provider: facts.target.provider,
    model: facts.target.model,
    ...(facts.providerRequestId === undefined ? {} : { providerRequestId: facts.providerRequestId }),
    ...(prices === undefined ? {} : { costMicros: costMicrosOf(tokens, prices) }),
  };
};

type PricedTokens = Pick<
  ModelUsage,
  'inputTokens' | 'cachedInputTokens' | 'cacheWriteTokens' | 'outputTokens' | 'reasoningTokens'
>;

/** Prices are per million tokens, so a token costs as many millionths of the unit as its price says. */
const costMicrosOf = (tokens: PricedTokens, prices: ModelPrices): number => {
  const { input, output, cachedInput = input, cacheWrite = input, reasoning = output } = prices;
  const cached = Math.min(tokens.cachedInputTokens, tokens.inputTokens);
  const written = Math.min(tokens.cacheWriteTokens, tokens.inputTokens - cached);
  const thought = Math.min(tokens.reasoningTokens, tokens.outputTokens);
  const plain = tokens.inputTokens - cached - written;
  const sum =
    plain * input +
    cached * cachedInput +
    written * cacheWrite +
    (tokens.outputTokens - thought) * output +
    thought * reasoning;
  return wholeMicros(sum);
};

/** Rounded up: a call that costs anything is never counted as free. */
const wholeMicros = (micros: number): number => Math.ceil(Number(micros.toFixed(DIGITS)));
