import { type LabelSettings, labelLimits } from '../../../resources/index.ts';
import type { FeatureModule } from '../../module-contract.ts';
import { channelContract } from './channel-kind.ts';
import { ChannelLog } from './channel-log.ts';
import { channelOperations } from './channel-operations.ts';
import { ChannelRemains } from './channel-remains.ts';
import { channelTrail } from './channel-trail.ts';
import type { ChannelLimits, ChannelsDeps } from './channels-deps.ts';
import { OutsidePosts } from './message/index.ts';
import { AutoReplies, ChannelPublishing, channelTools } from './publishing/index.ts';
import { ChannelActivities } from './stream/index.ts';
import { subscriptionContract } from './subscription/index.ts';

const MS_PER_SECOND = 1_000;
const MS_PER_HOUR = 3_600_000;

/** Sizes in bytes, times in milliseconds. */
interface ChannelSettings extends LabelSettings {
  readonly 'limits.channelContentMax': number;
  readonly 'limits.channelSubscriptionsMax': number;
  readonly 'limits.responseBytes': number;
  readonly 'idempotency.hours': number;
  readonly 'streams.historyEvents': number;
  readonly 'streams.historySeconds': number;
  readonly 'retention.channelMessages': number;
  readonly 'limits.streamBufferEvents': number;
  readonly 'limits.streamBufferBytes': number;
  readonly 'limits.channelMaxHops': number;
  readonly 'limits.channelAgentRate': number;
  readonly 'connectors.silenceTokens': readonly string[];
}

interface ChannelsModuleDeps extends Omit<ChannelsDeps, 'limits'> {
  readonly settings: ChannelSettings;
}

interface ChannelsModule extends FeatureModule {
  /** What people write in channels from other platforms. */
  readonly posts: OutsidePosts;
  /** Live events of all channels. */
  readonly activities: ChannelActivities;
  /** Shows followers of a channel that what a session published there did not reach a platform. */
  readonly showUndelivered: (...undelivered: Parameters<ChannelPublishing['showRefused']>) => Promise<void>;
}

/** The kinds Channel and ChannelSubscription with their operations, messages, streams, and what agents do with them. */
export const channelsModule = (deps: ChannelsModuleDeps): ChannelsModule => {
  const { store, bus, writer, settings } = deps;
  const limits = limitsOf(settings);
  const publishing = new ChannelPublishing({ ...deps, limits });
  return {
    kinds: [
      channelContract({ writer: () => writer }),
      subscriptionContract({ subscriptionsMax: settings['limits.channelSubscriptionsMax'] }),
    ],
    workers: [new ChannelRemains(store), new AutoReplies({ store, publishing, silenceTokens: limits.silenceTokens })],
    toolSources: [channelTools({ store, publishing })],
    trails: [channelTrail],
    operations: channelOperations({ ...deps, limits }),
    showUndelivered: (...undelivered) => publishing.showRefused(...undelivered),
    posts: new OutsidePosts({ ...deps, limits }, new ChannelLog({ bus, limits })),
    activities: new ChannelActivities({ bus, epoch: store.epoch }),
  };
};

const limitsOf = (settings: ChannelSettings): ChannelLimits => ({
  ...labelLimits(settings),
  contentBytes: settings['limits.channelContentMax'],
  responseBytes: settings['limits.responseBytes'],
  idempotencyHours: settings['idempotency.hours'] / MS_PER_HOUR,
  historyEvents: settings['streams.historyEvents'],
  historySeconds: settings['streams.historySeconds'] / MS_PER_SECOND,
  retentionSeconds: settings['retention.channelMessages'] / MS_PER_SECOND,
  bufferEvents: settings['limits.streamBufferEvents'],
  bufferBytes: settings['limits.streamBufferBytes'],
  maxHops: settings['limits.channelMaxHops'],
  agentRate: settings['limits.channelAgentRate'],
  silenceTokens: settings['connectors.silenceTokens'],
});
