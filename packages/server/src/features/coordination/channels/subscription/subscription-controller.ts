import type { LookReads, ReconcileOutcome, Reconciler, ResourceWriter } from '../../../../controllers/contract.ts';
import { kindRow, messageText, parseJsonMap } from '../../../../resources/index.ts';
import {
  everyResource,
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  type Store,
  type StoredResource,
} from '../../../../store/contracts/index.ts';
import { hasAgent, subscriptionSpec, subscriptionStatus } from './subscription-kind.ts';

export interface SubscriptionControllerDeps {
  readonly store: Store;
  readonly writer: ResourceWriter;
}

const RESYNC_MS = 300_000;

/** Keeps phase and conditions of subscriptions true when their agent goes or comes. */
export const subscriptionController = (deps: SubscriptionControllerDeps): Reconciler => ({
  name: 'channel',
  kinds: ['ChannelSubscription'],
  resyncMs: RESYNC_MS,
  looksAtResourcesOnly: true,
  concerns: ({ change, resource }) => resource.key.kind === 'Agent' && change !== 'updated',
  keysFor,
  look: async (record, reads) => ((await judge(reads, record)).isStale ? { due: true } : DONE),
  reconcile: (key) => reconcile(deps, key),
});

const keysFor = async (change: ResourceChange, reads: ResourceReads): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  const scope = { type: 'namespace', namespace: key.namespace } as const;
  const all = await everyResource(reads, { kind: 'ChannelSubscription', scope });
  return all.filter((record) => parseJsonMap(record.spec)?.['agent'] === key.name).map((record) => record.key);
};

const DONE = { done: true } as const;

const reconcile = async (
  { store, writer }: SubscriptionControllerDeps,
  key: ResourceKey,
): Promise<ReconcileOutcome> => {
  const isStale = await store.read(async ({ resources }) => {
    const record = await resources.get(key);
    return record !== undefined && (await judge({ resources, now: () => store.now() }, record)).isStale;
  });
  if (isStale)
    await store.write(async (tx) => {
      const record = await tx.resources.get(key);
      if (record === undefined) return;
      const { status } = await judge(tx, record);
      await writer.writeStatus(tx, key, () => ({ status }));
    });
  return DONE;
};

const judge = async (reads: Pick<LookReads, 'resources' | 'now'>, record: StoredResource) => {
  const spec = subscriptionSpec(record);
  const { generation } = record;
  const hasTarget = await hasAgent(reads, record.key.namespace, spec.agent);
  const status = subscriptionStatus(record, spec, { hasAgent: hasTarget, now: reads.now(), generation });
  return { status, isStale: messageText(kindRow('ChannelSubscription').status, status) !== record.status };
};
