import type { TurnUsage } from '../../../runtime/contract.ts';
import type { ReadTx, WriteTx } from '../../../store/contracts/index.ts';

/** A model that is met again within this time is not written again. */
const AGAIN_MICROS = 600_000_000;
const REMEMBERED_MAX = 1_000;
const NAMED_MAX = 20;

type Target = Pick<TurnUsage, 'provider' | 'model'>;

/** Notes models without a price that calls under a limit of money met: what they cost is not counted. */
export class UnpricedModels {
  readonly #noted = new Map<string, number>();

  async note(tx: WriteTx, policyUid: string, { provider, model }: Target): Promise<void> {
    const key = JSON.stringify([policyUid, provider, model]);
    const at = tx.now();
    if (Math.abs(at - (this.#noted.get(key) ?? 0)) < AGAIN_MICROS) return;
    await tx.usageUnpriced.put({ policyUid, provider, model, at });
    tx.afterCommit(() => {
      if (this.#noted.size >= REMEMBERED_MAX) this.#noted.clear();
      this.#noted.set(key, at);
    });
  }
}

/** `provider/model` of those that calls under a policy met since then. */
export const unpricedModels = async (
  reads: Pick<ReadTx, 'usageUnpriced'>,
  policyUid: string,
  since: number,
): Promise<readonly string[]> =>
  (await reads.usageUnpriced.page('ofPolicy', { policyUid }, { limit: NAMED_MAX }))
    .filter(({ at }) => at >= since)
    .map(({ provider, model }) => `${provider}/${model}`);

/** Drops what was met before that time, at most `limit`. */
export const trimUnpriced = async (tx: WriteTx, before: number, limit: number): Promise<void> => {
  for (const row of await tx.usageUnpriced.page('oldest', {}, { limit }))
    if (row.at < before) await tx.usageUnpriced.remove(row);
};
