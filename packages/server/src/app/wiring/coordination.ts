import {
  type KindContract,
  type QueueWorker,
  type Reconciler,
  type ResourceWriter,
  StoredKindDoor,
} from '../../controllers/index.ts';
import { NamespaceDirectory } from '../../features/authoring/namespaces/index.ts';
import {
  type ChannelLimits,
  ChannelRemains,
  channelContract,
  channelOperations,
  subscriptionContract,
  subscriptionController,
} from '../../features/coordination/channels/index.ts';
import { connectorOperations } from '../../features/coordination/connectors/index.ts';
import {
  createInputCheck,
  scheduleContract,
  scheduleController,
  scheduleOperations,
} from '../../features/coordination/schedules/index.ts';
import { workflowOperations } from '../../features/coordination/workflows/index.ts';
import type { Operation } from '../../operations/index.ts';
import { notExecuted } from '../../resources/index.ts';
import type { Config } from '../config/index.ts';
import type { Engines } from './engines.ts';
import { labelLimits } from './label-limits.ts';
import type { AppParts } from './operations.ts';

const MS_PER_SECOND = 1_000;
const MS_PER_HOUR = 3_600_000;

const minSpacingSeconds = ({ settings }: Config): number => settings['schedules.minSpacingSeconds'] / MS_PER_SECOND;

/** Kinds by which work reaches agents: channels, subscriptions, schedules. The writer is looked up when used. */
export const coordinationKinds = (
  config: Config,
  { store }: Engines,
  writer: () => ResourceWriter,
): readonly KindContract[] => [
  channelContract({ writer }),
  subscriptionContract({ subscriptionsMax: config.settings['limits.channelSubscriptionsMax'] }),
  scheduleContract({
    now: () => store.now(),
    minSpacingSeconds: minSpacingSeconds(config),
    schedulesMax: config.settings['limits.schedulesMax'],
    notExecuted: notExecuted('Schedule'),
    inputCheck: createInputCheck(),
  }),
];

/** What keeps the status of those kinds true and clears up behind them. */
export const coordinationMachinery = (
  { store }: Engines,
  writer: ResourceWriter,
): { readonly reconcilers: readonly Reconciler[]; readonly workers: readonly QueueWorker[] } => ({
  reconcilers: [
    subscriptionController({ store, writer }),
    scheduleController({ store, writer, namespaces: new NamespaceDirectory(), notExecuted: notExecuted('Schedule') }),
  ],
  workers: [new ChannelRemains(store)],
});

const channelLimits = (config: Config): ChannelLimits => {
  const { settings } = config;
  return {
    ...labelLimits(config),
    contentBytes: settings['limits.channelContentMax'],
    responseBytes: settings['limits.responseBytes'],
    idempotencyHours: settings['idempotency.hours'] / MS_PER_HOUR,
    historyEvents: settings['streams.historyEvents'],
    historySeconds: settings['streams.historySeconds'] / MS_PER_SECOND,
    retentionSeconds: settings['retention.channelMessages'] / MS_PER_SECOND,
    bufferEvents: settings['limits.streamBufferEvents'],
    bufferBytes: settings['limits.streamBufferBytes'],
  };
};

/** Operations of those kinds. */
export const coordinationOperations = ({ config, engines, resources, turns }: AppParts): readonly Operation[] => {
  const { store, bus, ids } = engines;
  const { writer, feed, views, audit, tree } = resources;
  const { objects } = turns;
  const shared = { store, bus, ids, writer, feed, views, audit, namespaces: tree, objects };
  const door = (kind: string): StoredKindDoor =>
    new StoredKindDoor(kind, { store, writer, responseBytes: config.settings['limits.responseBytes'] });
  return [
    ...workflowOperations,
    ...connectorOperations,
    ...channelOperations({ ...shared, channels: door('Channel'), limits: channelLimits(config) }),
    ...scheduleOperations({
      store,
      writer,
      views,
      schedules: door('Schedule'),
      limits: { ...labelLimits(config), minSpacingSeconds: minSpacingSeconds(config) },
      notExecuted: notExecuted('Schedule'),
    }),
  ];
};
