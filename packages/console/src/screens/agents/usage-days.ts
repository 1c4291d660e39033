import type { UsageRow } from '@svc/api/gateway';

/** What was used on one day. */
export interface UsageDay {
  /** Beginning of the day (UTC), in Unix seconds. */
  readonly seconds: number;
  readonly input: number;
  readonly output: number;
}

const DAY_SECONDS = 86_400;

/** The last 7 days (UTC) up to now, days without use included; `nowMs` in Unix milliseconds. */
export const lastDays = (
  rows: readonly Pick<UsageRow, 'name' | 'inputTokens' | 'outputTokens'>[],
  nowMs: number,
): readonly UsageDay[] => {
  const byDay = new Map(rows.map((row) => [row.name, row]));
  const today = Math.floor(nowMs / 1_000 / DAY_SECONDS) * DAY_SECONDS;
  return [6, 5, 4, 3, 2, 1, 0].map((ago) => {
    const seconds = today - ago * DAY_SECONDS;
    const row = byDay.get(new Date(seconds * 1_000).toISOString().slice(0, 10));
    return { seconds, input: Number(row?.inputTokens ?? 0n), output: Number(row?.outputTokens ?? 0n) };
  });
};

/** Millionths of the unit of the prices, such as `12.34` or `0.0005`. */
export const costText = (micros: bigint): string => {
  const amount = Number(micros) / 1_000_000;
  return amount === 0 ? '0' : amount.toFixed(amount < 0.01 ? 4 : 2);
};
