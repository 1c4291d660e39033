import { BoundedCache } from '../../base/index.ts';
import type { WriteTx } from '../../store/contracts/index.ts';
import type { AgentRevision, PromptSource } from '../contract.ts';

/** Keeps texts that requests of an agent are made of, in the transaction that refers to them. */
export type KeepSources = (
  tx: WriteTx,
  agent: Pick<AgentRevision, 'namespace' | 'uid'>,
  sources: readonly PromptSource[],
) => Promise<void>;

const MICROS_PER_DAY = 86_400_000_000;
/** A journal is kept for seven days after its turn ended, and the turn may have waited for days before that. */
const KEPT_MICROS = 30 * MICROS_PER_DAY;
/** A text in use is written again this often, so that it does not expire. */
const REFRESH_MICROS = MICROS_PER_DAY;
/** Texts that a process remembers to have written. */
const REMEMBERED = 20_000;

/**
 * Keeps each text once for a namespace. A process writes it when an agent first uses it and once a day from then on, so a turn whose
 * tools and skills its agent used before writes nothing. What was written is remembered for each agent by its uid: a namespace that
 * was purged and made again has new agents, and none of the old texts.
 */
export const createSourceKeeper = (): KeepSources => {
  const written = new BoundedCache<string, number>(REMEMBERED);
  return async (tx, { namespace, uid }, sources) => {
    const now = tx.now();
    const due = sources.filter(({ hash }) => {
      const at = written.get(`${uid} ${hash}`);
      return at === undefined || now - at >= REFRESH_MICROS || now < at;
    });
    if (due.length === 0) return;
    // By hash: transactions that keep the same texts take their rows in the same order.
    for (const { hash, text } of due.toSorted((a, b) => (a.hash < b.hash ? -1 : 1)))
      await tx.promptSources.put({ namespace, hash, body: text, expiresAt: now + KEPT_MICROS });
    tx.afterCommit(() => {
      for (const { hash } of due) written.set(`${uid} ${hash}`, now);
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
