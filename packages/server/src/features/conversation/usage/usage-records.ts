import type { TurnUsage, UsageSubject } from '../../../runtime/contract.ts';
import type { Store, UsageDayRow, UsageRecordRow, WriteTx } from '../../../store/contracts/index.ts';

const DAY_MICROS = 86_400_000_000;
/** Records added to their days in one transaction. */
const FOLD_ROWS = 500;

/** The day of a moment, counted from 1970-01-01 UTC. */
export const dayOf = (micros: number): number => Math.floor(micros / DAY_MICROS);

/** What was used, without when and by whom. */
export type Used = Pick<
  UsageDayRow,
  | 'requests'
  | 'inputTokens'
  | 'cachedInputTokens'
  | 'cacheWriteTokens'
  | 'outputTokens'
  | 'reasoningTokens'
  | 'totalTokens'
  | 'costMicros'
  | 'unpriced'
>;

/** Both together. */
export const sumUsed = (left: Used, right: Used): Used => ({
  requests: left.requests + right.requests,
  inputTokens: left.inputTokens + right.inputTokens,
  cachedInputTokens: left.cachedInputTokens + right.cachedInputTokens,
  cacheWriteTokens: left.cacheWriteTokens + right.cacheWriteTokens,
  outputTokens: left.outputTokens + right.outputTokens,
  reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  totalTokens: left.totalTokens + right.totalTokens,
  costMicros: left.costMicros + right.costMicros,
  unpriced: left.unpriced + right.unpriced,
});

/** Records one model call: a row of its own, so that calls at the same time never wait for each other's day. */
export const recordUsage = (
  tx: WriteTx,
  call: { readonly id: string; readonly subject: UsageSubject; readonly usage: TurnUsage },
): Promise<void> => {
  const { id, subject, usage } = call;
  const { namespace, agent, identity } = subject;
  const { provider, model, inputTokens, cachedInputTokens, cacheWriteTokens } = usage;
  return tx.usageRecords.put({
    id,
    namespace,
    agent,
    provider,
    model,
    identity,
    day: dayOf(tx.now()),
    requests: 1,
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    outputTokens: usage.outputTokens,
    reasoningTokens: usage.reasoningTokens,
    totalTokens: usage.totalTokens,
    costMicros: usage.costMicros ?? 0,
    unpriced: usage.costMicros === undefined ? 1 : 0,
  });
};

/** Adds the records of calls to their days, oldest first, until none is left; two processes may do so at once. */
export const foldUsage = async (store: Pick<Store, 'write' | 'direct'>): Promise<void> => {
  for (;;) {
    const page = await store.direct.usageRecords.page('oldest', {}, { limit: FOLD_ROWS });
    if (page.length === 0) return;
    await store.write((tx) => foldPage(tx, page));
  }
};

const foldPage = async (tx: WriteTx, page: readonly UsageRecordRow[]): Promise<void> => {
  const days = new Map<string, UsageDayRow>();
  for (const { id } of page) {
    // Held from here on: another process may have added it to its day meanwhile.
    const record = await tx.usageRecords.get({ id });
    if (record === undefined) continue;
    const { id: _id, ...row } = record;
    const key = JSON.stringify([row.namespace, row.day, row.agent, row.provider, row.model, row.identity]);
    const day = days.get(key);
    days.set(key, day === undefined ? row : { ...row, ...sumUsed(day, row) });
    await tx.usageRecords.remove({ id });
  }
  // In the order of keys, so that two processes never wait for each other.
  for (const [, row] of [...days].sort(([left], [right]) => (left < right ? -1 : 1))) {
    const before = await tx.usageDays.get(row);
    await tx.usageDays.put(before === undefined ? row : { ...row, ...sumUsed(before, row) });
  }
};

/** Drops days from before that day, at most `limit`. */
export const trimDays = async (tx: WriteTx, before: number, limit: number): Promise<void> => {
  for (const row of await tx.usageDays.page('oldest', {}, { limit }))
    if (row.day < before) await tx.usageDays.remove(row);
};
