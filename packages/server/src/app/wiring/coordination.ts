import type { KindContract, QueueWorker, Reconciler, ResourceWriter } from '../../controllers/index.ts';
import {
  type ChannelLimits,
  ChannelRemains,
  channelContract,
  channelOperations,
  subscriptionContract,
  subscriptionController,
} from '../../features/channels/index.ts';
import type { Operation } from '../../features/contract.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from './engines.ts';
import type { AppParts } from './operations.ts';

const MS_PER_SECOND = 1_000;
const MS_PER_HOUR = 3_600_000;

/** Kinds by which work reaches agents: channels and their subscriptions. The writer is looked up when used. */
export const coordinationKinds = (config: Config, writer: () => ResourceWriter): readonly KindContract[] => [
  channelContract({ writer }),
  subscriptionContract({ subscriptionsMax: config.settings['limits.channelSubscriptionsMax'] }),
];

/** What keeps the status of those kinds true and clears up behind them. */
export const coordinationMachinery = (
  { store }: Engines,
  writer: ResourceWriter,
): { readonly reconcilers: readonly Reconciler[]; readonly workers: readonly QueueWorker[] } => ({
  reconcilers: [subscriptionController({ store, writer })],
  workers: [new ChannelRemains(store)],
});

const channelLimits = ({ settings }: Config): ChannelLimits => ({
  labels: settings['limits.labels'],
  annotationsBytes: settings['limits.annotationsBytes'],
  contentBytes: settings['limits.channelContentMax'],
  responseBytes: settings['limits.responseBytes'],
  idempotencyHours: settings['idempotency.hours'] / MS_PER_HOUR,
  historyEvents: settings['streams.historyEvents'],
  historySeconds: settings['streams.historySeconds'] / MS_PER_SECOND,
  retentionSeconds: settings['retention.channelMessages'] / MS_PER_SECOND,
  bufferEvents: settings['limits.streamBufferEvents'],
  bufferBytes: settings['limits.streamBufferBytes'],
});

/** Operations of those kinds. */
export const coordinationOperations = ({ config, engines, resources, turns }: AppParts): readonly Operation[] => {
  const { store, bus, ids } = engines;
  const { writer, feed, views, audit, tree } = resources;
  const { objects } = turns;
  const shared = { store, bus, ids, writer, feed, views, audit, namespaces: tree, objects };
  return [...channelOperations({ ...shared, limits: channelLimits(config) })];
};
