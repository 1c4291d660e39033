import { deliveryHolder, earlierNow, type Store, trimInBatches } from '../../../../store/contracts/index.ts';
import type { PeriodicJob } from '../../../module-contract.ts';

const EVERY_MS = 3_600_000;

/** Removes deliveries that ended a while ago, with their hold on files. */
export const deliveryRetention = (store: Pick<Store, 'write'>): PeriodicJob => ({
  name: 'delivery-retention',
  everyMs: EVERY_MS,
  tick: () =>
    trimInBatches(store, async (tx, limit) => {
      const rows = await tx.deliveries.page('oldest', {}, { limit });
      const expired = rows.filter(({ expiresAt }) => expiresAt <= earlierNow(tx));
      for (const { id } of expired) {
        await tx.deliveries.remove({ id });
        await tx.objects.dropReferences(deliveryHolder(id), tx.steadyNow());
      }
      return expired.length;
    }),
});
