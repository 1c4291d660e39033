import type { UsageMeter } from '../contract.ts';

export const CHARGED = 'test/charged-tokens';
const reservation = (metric: string, key: string): string => `test/reserved/${metric}/${key}`;

/** A meter that keeps its charges in the store, so that a crash decides about them as about the rest of a transaction. */
export const recordedUsage = (): UsageMeter => ({
  governs: () => true,
  reserve: (...[tx, metric, , key]) => tx.instance.setValue(reservation(metric, key), 'held'),
  limitsCost: () => false,
  reserveCost: async (...[, , , { outputTokens }]) => outputTokens,
  releaseCost: async () => undefined,
  raise: async () => undefined,
  giveBack: (...[tx, metric, , key]) => tx.instance.setValue(reservation(metric, key), 'given back'),
  charge: async (tx, _subject, usage) => {
    const before = Number((await tx.instance.value(CHARGED)) ?? 0);
    await tx.instance.setValue(CHARGED, String(before + usage.totalTokens));
  },
});
