import type { TokenCounter } from '@svc/api/data';

const count = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Such as `950`, `12.3 k` or `4 M`. */
export const countText = (value: number): string => {
  if (value < 10_000) return count.format(value);
  return value < 1_000_000 ? `${count.format(value / 1_000)} k` : `${count.format(value / 1_000_000)} M`;
};

/** Millionths of the unit of the prices as that unit, with four digits behind the point below 1. */
export const costText = (micros: number): string => {
  const value = micros / 1_000_000;
  return value.toFixed(value < 1 ? 4 : 2);
};

/** Such as `1,200 in, 80 out, 0.0012`; '' for nothing. */
export const usageText = (usage: TokenCounter | undefined): string => {
  if (usage === undefined) return '';
  const tokens = `${countText(Number(usage.inputTokens))} in, ${countText(Number(usage.outputTokens))} out`;
  return usage.costMicros === undefined ? tokens : `${tokens}, ${costText(Number(usage.costMicros))}`;
};
