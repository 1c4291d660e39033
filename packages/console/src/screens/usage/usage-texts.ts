import type { UsageLimitStatus } from '@svc/api/resources';

const whole = new Intl.NumberFormat('en-GB');

/** Such as `12,345`. */
export const countText = (count: bigint | number): string => whole.format(count);

/** Money in millionths of a unit, such as `1.2345`, `0.000012` or `1,234.50`; the unit is that of `models.prices`. */
export const costText = (micros: bigint | number): string => {
  const amount = Number(micros) / 1e6;
  const digits = amount === 0 || amount >= 100 ? 2 : amount >= 0.01 ? 4 : 6;
  return amount.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits });
};

const METRICS: Readonly<Record<string, string>> = {
  'llm.requests': 'Requests to models',
  'llm.inputTokens': 'Input tokens',
  'llm.outputTokens': 'Output tokens',
  'llm.reasoningTokens': 'Reasoning tokens',
  'llm.totalTokens': 'Tokens',
  'llm.costMicros': 'Cost',
  'agent.sessions': 'Sessions',
  'tool.calls': 'Calls of tools',
};

/** What a limit counts, such as `Tokens per 5h, agent clerk, for each identity`. */
export const limitText = ({ metric, window, selector, subjectScope }: UsageLimitStatus): string => {
  const { agent = '', provider = '', model = '' } = selector ?? {};
  return [
    `${METRICS[metric] ?? metric} per ${window}`,
    agent && `agent ${agent}`,
    provider && `provider ${provider}`,
    model && `model ${model}`,
    subjectScope === 'identity' && 'for each identity',
  ]
    .filter(Boolean)
    .join(', ');
};

/** Such as `64 of 2,000`. */
export const usedText = ({ metric, used, max }: UsageLimitStatus): string => {
  const text = metric === 'llm.costMicros' ? costText : countText;
  return `${text(used)} of ${text(max)}`;
};

const DAY_S = 86_400;

/** A day such as `2030-01-31` as Unix seconds of its begin (UTC). */
const secondsOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000;

/** Such as `31 Jan`, for a day in Unix seconds (UTC). */
export const dayText = (seconds: number): string =>
  new Date(seconds * 1_000).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** One value for each of `days` days up to today, 0 where there is none. `today` in Unix seconds. */
export const everyDay = <T>(
  rows: readonly { readonly name: string; readonly value: T }[],
  { days, today, none }: { readonly days: number; readonly today: number; readonly none: T },
): { readonly at: readonly number[]; readonly values: readonly T[] } => {
  const found = new Map(rows.map(({ name, value }) => [secondsOfDay(name), value]));
  const last = Math.floor(today / DAY_S) * DAY_S;
  const at = Array.from({ length: days }, (_, index) => last - (days - 1 - index) * DAY_S);
  return { at, values: at.map((moment) => found.get(moment) ?? none) };
};
