import type { UsageDayRow } from '../../../store/contracts/index.ts';
import { sumUsed, type Used } from './usage-records.ts';

const DAY_MS = 86_400_000;

/** What rows of a report stand for. */
export const GROUPS = {
  agent: (row: UsageDayRow) => row.agent,
  model: (row: UsageDayRow) => `${row.provider}/${row.model}`,
  identity: (row: UsageDayRow) => row.identity,
  namespace: (row: UsageDayRow) => row.namespace,
  day: (row: UsageDayRow) => new Date(row.day * DAY_MS).toISOString().slice(0, 10),
} as const;

export type Group = keyof typeof GROUPS;

/** One row of a report. */
export interface ReportRow extends Used {
  readonly name: string;
}

const NOTHING: Used = {
  requests: 0,
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  totalTokens: 0,
  costMicros: 0,
  unpriced: 0,
};

const named = (name: string, used: readonly Used[]): ReportRow => ({ name, ...used.reduce(sumUsed, NOTHING) });

const byName = (left: ReportRow, right: ReportRow): number => (left.name < right.name ? -1 : 1);
const byCost = (left: ReportRow, right: ReportRow): number =>
  right.costMicros - left.costMicros || right.totalTokens - left.totalTokens || byName(left, right);

/** Collects what was used by group; what is kept grows with the groups, not with the rows that are added. */
export class UsageReport {
  readonly #group: Group;
  readonly #sums = new Map<string, Used>();

  constructor(group: Group) {
    this.#group = group;
  }

  add(row: UsageDayRow): void {
    const name = GROUPS[this.#group](row);
    this.#sums.set(name, sumUsed(this.#sums.get(name) ?? NOTHING, row));
  }

  /** At most `limit` rows; those behind are one row without a name. */
  rows(limit: number): readonly ReportRow[] {
    const all = [...this.#sums].map(([name, used]) => ({ name, ...used }));
    const sorted = all.sort(this.#group === 'day' ? byName : byCost);
    if (sorted.length <= limit) return sorted;
    return [...sorted.slice(0, limit - 1), named('', sorted.slice(limit - 1))];
  }

  total(): ReportRow {
    return named('', [...this.#sums.values()]);
  }
}
