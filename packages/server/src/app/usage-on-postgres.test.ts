// @service postgresql
import { create } from '@bufbuild/protobuf';
import { UsagePolicySpecSchema } from '@svc/api/resources';
import { expect, it, onTestFinished } from 'vitest';
import { createIds, systemClock, systemRandom } from '../base/index.ts';
import { PolicyIndex } from '../features/conversation/usage/policy-index.ts';
import { PolicyMeter } from '../features/conversation/usage/usage-meter.ts';
import { kindRow, messageText } from '../resources/index.ts';
import { draft, key } from '../store/conformance/index.ts';
import type { WriteTx } from '../store/contracts/index.ts';
import { CuttingProxy } from '../store/postgres/testing/cutting-proxy.ts';
import { openTestStore, runSql } from '../store/postgres/testing/test-store.ts';
import { withPostgres } from '../store/postgres/testing/with-postgres.ts';

const subject = { namespace: 'default', agent: 'helper', identity: 'ann', provider: 'demo', model: 'echo' };

withPostgres('usage on PostgreSQL', (postgres) => {
  it.each(['before commit', 'after commit'] as const)(
    'counts a call once, or not at all once it is given back, though connections were cut off %s (RT-9)',
    async (cut) => {
      const [made] = await postgres.stores(1);
      const { proxy, url } = await CuttingProxy.start(made!.url);
      const { store } = await openTestStore({ url });
      onTestFinished(async () => {
        await store.close();
        await proxy[Symbol.asyncDispose]();
      });
      const spec = create(UsagePolicySpecSchema, { hard: [{ metric: 'llm.requests', max: 1n, window: '1h' }] });
      const policy = draft(key('main', { kind: 'UsagePolicy' }), {
        spec: messageText(kindRow('UsagePolicy').spec, spec),
      });
      const policies = new PolicyIndex(() => []);
      policies.note(await store.write((tx) => tx.resources.insert(policy)));
      const meter = new PolicyMeter(policies, {
        ids: createIds(systemClock, systemRandom),
        audit: async () => undefined,
        refused: () => undefined,
      });
      const used = async (): Promise<number> => {
        const [row] = await runSql(made!.url, 'SELECT coalesce(sum(amount), 0)::integer AS used FROM counters');
        return Number(row?.['used']);
      };
      /** As a turn does it: what has no answer is asked for again. */
      const unanswered = async (work: (tx: WriteTx) => Promise<void>): Promise<void> => {
        proxy.cutNext(cut);
        await expect(store.write(work)).rejects.toMatchObject({ message: expect.stringContaining('not known') });
        await store.write(work);
      };
      for (let round = 0; round < 3; round++) {
        await unanswered((tx) => meter.reserve(tx, 'llm.requests', subject, 'call'));
        const other = store.write((tx) => meter.reserve(tx, 'llm.requests', subject, 'other'));
        await expect(other).rejects.toMatchObject({ reason: 'QUOTA_EXCEEDED' });
        expect(await used()).toBe(1);
        await unanswered((tx) => meter.giveBack(tx, 'llm.requests', subject, 'call'));
        expect(await used()).toBe(0);
      }
    },
  );
});
