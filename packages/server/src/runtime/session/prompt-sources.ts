import { BoundedCache } from '../../base/index.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import type { PromptSource } from '../contract.ts';

/** Keeps texts that requests are made of, in the transaction that refers to them. */
export type KeepSources = (tx: WriteTx, namespace: string, sources: readonly PromptSource[]) => Promise<void>;

const MICROS_PER_DAY = 86_400_000_000;
/** A journal is kept for seven days behind the end of its turn, and a turn may wait for days before. */
const KEPT_MICROS = 30 * MICROS_PER_DAY;
/** A text in use is written again this often, so that it does not expire. */
const REFRESH_MICROS = MICROS_PER_DAY;
/** Texts that a process remembers to have written. */
const REMEMBERED = 20_000;

/**
 * Keeps each text once for a namespace. A process writes it when it first sees it and once a day from then on, so a turn whose agent,
 * tools and skills were seen before writes nothing.
 */
export const createSourceKeeper = (): KeepSources => {
  const written = new BoundedCache<string, number>(REMEMBERED);
  return async (tx, namespace, sources) => {
    const now = tx.now();
    const due = sources.filter(({ hash }) => {
      const at = written.get(`${namespace} ${hash}`);
      return at === undefined || now - at >= REFRESH_MICROS || now < at;
    });
    if (due.length === 0) return;
    // By hash: transactions that keep the same texts take their rows in the same order.
    for (const { hash, text } of due.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)))
      await tx.promptSources.put({ namespace, hash, body: text, expiresAt: now + KEPT_MICROS });
    tx.afterCommit(() => {
      for (const { hash } of due) written.set(`${namespace} ${hash}`, now);
    });
  };
};

/** Removes texts that no request of the last weeks was made of, oldest first; answers how many. */
export const trimSources = async (tx: WriteTx, before: number, limit: number): Promise<number> => {
  const rows = await tx.promptSources.page('oldest', {}, { limit });
  const expired = rows.filter(({ expiresAt }) => expiresAt <= before);
  for (const { namespace, hash } of expired) await tx.promptSources.remove({ namespace, hash });
  return expired.length;
};
