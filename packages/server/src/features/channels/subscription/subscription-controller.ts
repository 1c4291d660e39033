import type { ReconcileOutcome, Reconciler, ResourceWriter } from '../../../controllers/contract.ts';
import { kindRow, messageText, parseJsonMap } from '../../../resources/index.ts';
import {
  everyResource,
  type ReadTx,
  type ResourceChange,
  type ResourceKey,
  type ResourceReads,
  type Store,
} from '../../../store/contracts/index.ts';
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
  concerns: ({ change, resource }) => resource.key.kind === 'Agent' && change !== 'updated',
  keysFor,
  reconcile: (key) => reconcile(deps, key),
});

const keysFor = async (change: ResourceChange, reads: ResourceReads): Promise<readonly ResourceKey[]> => {
  const { key } = change.resource;
  const scope = { type: 'namespace', namespace: key.namespace } as const;
  const all = await everyResource(reads, { kind: 'ChannelSubscription', scope });
  return all.filter((record) => parseJsonMap(record.spec)?.['agent'] === key.name).map((record) => record.key);
};

const reconcile = async (deps: SubscriptionControllerDeps, key: ResourceKey): Promise<ReconcileOutcome> => {
  const judged = await deps.store.read((tx) => judge(tx, key, deps.store.now()));
  if (judged === undefined || !judged.isStale) return { done: true };
  await deps.store.write(async (tx) => {
    const fresh = await judge(tx, key, tx.now());
    if (fresh !== undefined) await deps.writer.writeStatus(tx, key, () => ({ status: fresh.status }));
  });
  return { done: true };
};

const judge = async (reads: Pick<ReadTx, 'resources'>, key: ResourceKey, now: number) => {
  const record = await reads.resources.get(key);
  if (record === undefined) return undefined;
  const spec = subscriptionSpec(record);
  const facts = { hasAgent: await hasAgent(reads, key.namespace, spec.agent), now, generation: record.generation };
  const status = subscriptionStatus(record, spec, facts);
  return { status, isStale: messageText(kindRow('ChannelSubscription').status, status) !== record.status };
};
