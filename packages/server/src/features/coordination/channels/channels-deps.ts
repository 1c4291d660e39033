import type { Ids } from '../../../base/index.ts';
import type { AppendAudit, ChangeFeed, NamespaceFacts, ResourceWriter } from '../../../controllers/contract.ts';
import type { KindFacade } from '../../../controllers/facade-contract.ts';
import type { LabelLimits, ResourceViews } from '../../../resources/index.ts';
import type { Admission, ObjectAccess, ObjectData, SessionLifecycle } from '../../../runtime/contract.ts';
import type { Bus, Store, WriteTx } from '../../../store/contracts/index.ts';
import type { ToolContext } from '../../../tools/contract.ts';

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
  /** `limits.channelMaxHops`. */
  readonly maxHops: number;
  /** `limits.channelAgentRate`, messages a minute. */
  readonly agentRate: number;
  /** Replies that mean: publish nothing (`connectors.silenceTokens`). */
  readonly silenceTokens: readonly string[];
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
  readonly admission: Admission;
  readonly lifecycle: Pick<SessionLifecycle, 'create'>;
  /** Objects of artifacts that the session of a call may read, by their addresses. Throws ARTIFACT_NOT_FOUND. */
  readonly artifactObjects: (context: ToolContext, uris: readonly string[]) => Promise<readonly ObjectData[]>;
  /** What follows from a message that a session published, in its transaction. */
  readonly published: (tx: WriteTx, message: PublishedMessage) => Promise<void>;
  readonly limits: ChannelLimits;
}

/** A message that a session published in the channel that began it. */
interface PublishedMessage {
  readonly namespace: string;
  readonly channel: string;
  readonly channelUid: string;
  /** The message that began the session. */
  readonly triggerMessageId: string;
  readonly messageId: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly content: string;
  readonly attachments: readonly ObjectData[];
}
