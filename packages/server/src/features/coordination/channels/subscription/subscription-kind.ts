import { create } from '@bufbuild/protobuf';
import {
  type ChannelSubscriptionSpec,
  type CommonResourceStatus,
  CommonResourceStatusSchema,
} from '@svc/api/resources';
import { Fault } from '../../../../base/index.ts';
import { type KindContract, kindContract, type SpecWrite } from '../../../../controllers/contract.ts';
import {
  judgedConditions,
  kindRow,
  messageFromText,
  parseJsonMap,
  recordKey,
  referenceNotFound,
} from '../../../../resources/index.ts';
import {
  everyResource,
  type ReadTx,
  type ResourceKey,
  type ResourceReads,
  type StoredResource,
  type WriteTx,
} from '../../../../store/contracts/index.ts';
import { checkSubscription, fillSubscription, judgeSubscription } from './subscription-rules.ts';

export interface SubscriptionKindDeps {
  /** `limits.channelSubscriptionsMax`. */
  readonly subscriptionsMax: number;
}

/** How subscriptions are written, whichever operation writes them. */
export const subscriptionContract = (deps: SubscriptionKindDeps): KindContract =>
  kindContract<ChannelSubscriptionSpec>({
    kind: 'ChannelSubscription',
    defaults: fillSubscription,
    validate: (write) => checkSubscription(write.spec, write.key.parent),
    admit: (tx, write) => admit(deps, tx, write),
    observe: async (tx, write) =>
      subscriptionStatus(write.current, write.spec, {
        hasAgent: await hasAgent(tx, write.key.namespace, write.spec.agent),
        now: tx.now(),
        generation: write.generation,
      }),
    dependsOn: {
      whileDeleting: true,
      checksResourcesOnly: true,
      concerns: ({ change, resource }) => resource.key.kind === 'Agent' && change !== 'updated',
      keysFor: ({ resource: { key } }, reads) => subscriptionsTo(reads, key),
    },
  });

const subscriptionsTo = async (reads: ResourceReads, agent: ResourceKey): Promise<readonly ResourceKey[]> => {
  const scope = { type: 'namespace', namespace: agent.namespace } as const;
  const all = await everyResource(reads, { kind: 'ChannelSubscription', scope });
  return all.filter((record) => parseJsonMap(record.spec)?.['agent'] === agent.name).map((record) => record.key);
};

const admit = async (
  deps: SubscriptionKindDeps,
  tx: WriteTx,
  write: SpecWrite<ChannelSubscriptionSpec>,
): Promise<void> => {
  const { namespace, parent } = write.key;
  const channel = recordKey('Channel', namespace, parent);
  if ((await tx.resources.get(channel)) === undefined) throw referenceNotFound(channel, 'spec.channel');
  if (!(await hasAgent(tx, namespace, write.spec.agent)))
    throw referenceNotFound(recordKey('Agent', namespace, write.spec.agent), 'spec.agent');
  if (write.current === undefined) await requireRoom(deps, tx, { namespace, channel: parent });
};

const requireRoom = async (
  deps: SubscriptionKindDeps,
  tx: WriteTx,
  names: { readonly namespace: string; readonly channel: string },
): Promise<void> => {
  const { subscriptionsMax: limit } = deps;
  const found = await tx.resources.list({
    kind: 'ChannelSubscription',
    scope: { type: 'namespace', namespace: names.namespace },
    parent: names.channel,
    limit,
  });
  if (found.length < limit) return;
  throw new Fault(
    'RESOURCE_EXHAUSTED',
    'QUOTA_EXCEEDED',
    `channel ${names.channel} has ${limit} subscriptions already`,
    {
      metadata: { ns: names.namespace, channel: names.channel, max: String(limit) },
    },
  );
};

/** True while the agent's record is there, also one that waits for its deletion. */
const hasAgent = async (reads: Pick<ReadTx, 'resources'>, namespace: string, name: string): Promise<boolean> =>
  (await reads.resources.get(recordKey('Agent', namespace, name))) !== undefined;

/** Status that says what holds now. */
const subscriptionStatus = (
  current: StoredResource | undefined,
  spec: ChannelSubscriptionSpec,
  facts: { readonly hasAgent: boolean; readonly now: number; readonly generation: number },
): CommonResourceStatus => {
  const judged = judgeSubscription(spec, facts.hasAgent);
  const before = current === undefined ? [] : storedStatus(current).conditions;
  return create(CommonResourceStatusSchema, {
    observedGeneration: BigInt(facts.generation),
    phase: judged.phase,
    conditions: judgedConditions(before, judged, facts),
  });
};

const storedStatus = (record: StoredResource): CommonResourceStatus =>
  messageFromText(kindRow('ChannelSubscription').status, record.status) as CommonResourceStatus;
