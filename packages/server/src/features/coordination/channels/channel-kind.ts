import { create } from '@bufbuild/protobuf';
import { type ChannelSpec, type ChannelStatus, ChannelStatusSchema } from '@svc/api/resources';
import {
  type CheckReads,
  type KindContract,
  kindContract,
  type ResourceWriter,
  type SpecWrite,
  type WriteOrigin,
} from '../../../controllers/contract.ts';
import { judgedConditions, kindRow, messageFromText, parseJsonMap } from '../../../resources/index.ts';
import type { StoredResource, WriteTx } from '../../../store/contracts/index.ts';
import { leaveRemains } from './channel-remains.ts';
import { checkChannel, phaseOf } from './channel-rules.ts';

export interface ChannelKindDeps {
  /** Looked up when used: the writer is made of contracts. */
  readonly writer: () => Pick<ResourceWriter, 'remove'>;
}

const SUBSCRIPTIONS_PAGE = 500;

/** How channels are written, whichever operation writes them. */
export const channelContract = (deps: ChannelKindDeps): KindContract =>
  kindContract<ChannelSpec>({
    kind: 'Channel',
    validate: (write) => checkChannel(write.spec, write.annotations),
    observe,
    applied: (tx, { stored }) => touchChannel(tx, stored),
    removing: async (tx, channel, origin) => {
      await removeSubscriptions(tx, origin, { channel, writer: deps.writer() });
      await leaveRemains(tx, channel.uid);
    },
  });

const observe = async (tx: CheckReads, write: SpecWrite<ChannelSpec>): Promise<ChannelStatus> => {
  const at = { now: tx.now(), generation: write.generation };
  const current = write.current === undefined ? undefined : channelStatus(write.current);
  const before = write.current === undefined ? 0 : await updatedAt(tx, write.current);
  const phase = phaseOf(write.annotations);
  return create(ChannelStatusSchema, {
    observedGeneration: BigInt(at.generation),
    phase,
    conditions: judgedConditions(current?.conditions ?? [], { phase, findings: [] }, at),
    createdAt: current?.createdAt ?? BigInt(at.now),
    updatedAt: BigInt(Math.max(before, at.now)),
  });
};

/** Stored status of a channel, without the time of its last message. */
const channelStatus = (record: StoredResource): ChannelStatus =>
  messageFromText(kindRow('Channel').status, record.status) as ChannelStatus;

/** When the channel or its messages last changed, micros. */
const updatedAt = async (tx: Pick<CheckReads, 'resources'>, record: StoredResource): Promise<number> => {
  const activity = (await tx.resources.activity([record.uid])).get(record.uid) ?? '';
  return Number(parseJsonMap(activity)?.['updatedAt'] ?? 0);
};

/** Notes that the channel or its messages changed now; the time never goes back. */
export const touchChannel = async (tx: WriteTx, record: StoredResource): Promise<void> => {
  const at = Math.max(await updatedAt(tx, record), tx.now());
  await tx.resources.setActivity(record.uid, JSON.stringify({ updatedAt: String(at) }));
};

/** At once, not in the background: their keys hold the channel's name, which is free from now on. */
const removeSubscriptions = async (
  tx: WriteTx,
  origin: WriteOrigin,
  removal: { readonly channel: StoredResource; readonly writer: Pick<ResourceWriter, 'remove'> },
): Promise<void> => {
  const { namespace, name } = removal.channel.key;
  for (;;) {
    const page = await tx.resources.list({
      kind: 'ChannelSubscription',
      scope: { type: 'namespace', namespace },
      parent: name,
      limit: SUBSCRIPTIONS_PAGE,
    });
    for (const { key } of page) await removal.writer.remove(tx, origin, { key, bySystem: true, force: true });
    if (page.length < SUBSCRIPTIONS_PAGE) return;
  }
};
