import type { Ids } from '../../../base/index.ts';
import type { AppendAudit, ChangeFeed, NamespaceFacts, ResourceWriter } from '../../../controllers/contract.ts';
import type { KindFacade } from '../../../controllers/facade-contract.ts';
import type { LabelLimits, ResourceViews } from '../../../resources/index.ts';
import type { ObjectAccess } from '../../../runtime/contract.ts';
import type { Bus, Store } from '../../../store/contracts/index.ts';

/** Configured limits that this feature checks; sizes in bytes. */
export interface ChannelLimits extends LabelLimits {
  /** `limits.channelContentMax`. */
  readonly contentBytes: number;
  /** `limits.responseBytes`. */
  readonly responseBytes: number;
  readonly idempotencyHours: number;
  /** `streams.historyEvents`. */
  readonly historyEvents: number;
  /** `streams.historySeconds`. */
  readonly historySeconds: number;
  /** `retention.channelMessages` in seconds; 0 = never removed. */
  readonly retentionSeconds: number;
  /** `limits.streamBufferEvents`, `limits.streamBufferBytes`. */
  readonly bufferEvents: number;
  readonly bufferBytes: number;
}

/** Everything app hands to the operations of this feature. */
export interface ChannelsDeps {
  readonly store: Store;
  readonly bus: Bus;
  readonly ids: Ids;
  readonly writer: ResourceWriter;
  /** Reads, deletes and lists of channels. */
  readonly channels: KindFacade;
  /** Tells streams that their channel is gone. */
  readonly feed: ChangeFeed;
  readonly views: ResourceViews;
  readonly audit: AppendAudit;
  readonly namespaces: Pick<NamespaceFacts, 'requireLive'>;
  readonly objects: Pick<ObjectAccess, 'size' | 'read' | 'hold'>;
  readonly limits: ChannelLimits;
}
