import type { WriteTx } from '../../../store/contracts/index.ts';

/** A bucket of a counter that a reservation raised, and by how much. */
interface HeldBucket {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly amount: number;
}

/**
 * Money that is reserved for the model call of a turn under way. A turn calls one model at a time, so it has one hold at most: the hold of
 * a call that a crash cut off is replaced by that of the call that repeats it, or goes with the end of the turn.
 */
export const holdCost = (tx: WriteTx, turnId: string, held: readonly HeldBucket[]): Promise<void> =>
  tx.usageHolds.put({ turnId, held: JSON.stringify(held), createdAt: tx.now() });

/** Takes back the hold of a turn from the buckets that it raised. */
export const releaseHold = async (tx: WriteTx, turnId: string): Promise<void> => {
  const hold = await tx.usageHolds.get({ turnId });
  if (hold === undefined) return;
  for (const { key, start, end, amount } of JSON.parse(hold.held) as readonly HeldBucket[])
    await tx.counters.add(key, start, end, -amount);
  await tx.usageHolds.remove({ turnId });
};

/** Holds from before that time count in no window any more; the policies that they were made for are gone. */
export const trimHolds = async (tx: WriteTx, before: number, limit: number): Promise<void> => {
  for (const { turnId, createdAt } of await tx.usageHolds.page('oldest', {}, { limit }))
    if (createdAt < before) await tx.usageHolds.remove({ turnId });
};
