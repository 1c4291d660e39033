import type { Store } from '../store/contracts/index.ts';

const EVERY_MS = 60_000;
const ROWS = 500;

/** Removes kept answers whose time is over, in batches of a transaction each. No one waits for it: they are not found any more. */
const removeExpired = async (store: Pick<Store, 'write'>): Promise<void> => {
  while ((await store.write((tx) => tx.idempotency.trim(tx.steadyNow(), ROWS))) === ROWS);
};

/** The job that removes kept answers of calls with an idempotency key. */
export const answerExpiry = (store: Pick<Store, 'write'>) => ({
  name: 'idempotency-expiry',
  everyMs: EVERY_MS,
  tick: (): Promise<void> => removeExpired(store),
});
