import { QuotaFault, type UsageMeter } from '../contract.ts';

export const CHARGED = 'test/charged-tokens';
const reservation = (metric: string, key: string): string => `test/reserved/${metric}/${key}`;
const callsOf = (turnId: string): string => `test/calls/${turnId}`;

/** Where the raises of a turn's budget are counted. */
export const raisesOf = (turnId: string): string => `test/raises/${turnId}`;

/** Where it is kept that money is reserved for a model call of a turn. */
export const holdOf = (turnId: string): string => `test/holds/${turnId}`;

const usedUp = (used: number, max: number): QuotaFault =>
  new QuotaFault(
    `${used} of ${max} model calls are used`,
    { metadata: {}, retryAfterMs: 1000 },
    {
      prompt: 'One more model call?',
      input: { used, max },
      options: [
        { id: 'raise', name: 'One more', allow: true, remember: false },
        { id: 'stop', name: 'Stop', allow: false, remember: false },
      ],
    },
  );

/**
 * A meter that keeps its charges in the store, so that a crash decides about them as about the rest of a transaction. A turn may make
 * `callsPerTurn` model calls, and one more for each raise; a repeated reservation is free. A reserved model call holds money until it is
 * charged or released.
 */
export const recordedUsage = (callsPerTurn = Number.POSITIVE_INFINITY): UsageMeter => ({
  governs: () => true,
  reserve: async (...[tx, metric, , key]) => {
    await tx.instance.setValue(reservation(metric, key), 'held');
    if (metric !== 'llm.requests') return;
    const turnId = key.split('/', 1).join();
    await tx.instance.setValue(holdOf(turnId), key);
    if (callsPerTurn === Number.POSITIVE_INFINITY) return;
    const calls = new Set(((await tx.instance.value(callsOf(turnId))) ?? '').split(' ').filter((call) => call !== ''));
    const max = callsPerTurn + Number((await tx.instance.value(raisesOf(turnId))) ?? 0);
    if (!calls.has(key) && calls.size >= max) throw usedUp(calls.size, max);
    await tx.instance.setValue(callsOf(turnId), [...calls.add(key)].join(' '));
  },
  limitsCost: () => false,
  reserveCost: async (...[, , , { outputTokens }]) => outputTokens,
  releaseCost: (tx, _namespace, turnId) => tx.instance.removeValue(holdOf(turnId)),
  raise: async (tx, { turnId }) => {
    const before = Number((await tx.instance.value(raisesOf(turnId))) ?? 0);
    await tx.instance.setValue(raisesOf(turnId), String(before + 1));
  },
  giveBack: (...[tx, metric, , key]) => tx.instance.setValue(reservation(metric, key), 'given back'),
  charge: async (...[tx, , usage, turnId]) => {
    await tx.instance.removeValue(holdOf(turnId));
    const before = Number((await tx.instance.value(CHARGED)) ?? 0);
    await tx.instance.setValue(CHARGED, String(before + usage.totalTokens));
  },
});
