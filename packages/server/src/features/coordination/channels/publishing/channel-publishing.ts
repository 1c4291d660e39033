import { ChannelEventKind } from '@svc/api/events';
import { Fault } from '../../../../base/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import type { ObjectData, TurnCause } from '../../../../runtime/contract.ts';
import type { StoredResource, WriteTx } from '../../../../store/contracts/index.ts';
import { requireOpen } from '../channel-access.ts';
import { ChannelLog } from '../channel-log.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import { isContentTooLarge, MessageWrites } from '../message/index.ts';
import { type ChannelRoute, keepRoute, type LinkedSession, routeOfSession } from '../routing/index.ts';

/** The session that speaks in its channel, and the turn of it. */
export interface Speaker extends LinkedSession {
  readonly turnId: string;
  readonly cause: Pick<TurnCause, 'identity' | 'lineage'>;
}

/** What is published. */
export interface Publication {
  readonly content: string;
  readonly attachments: readonly ObjectData[];
}

export type ChannelPublishingDeps = Omit<ChannelsDeps, 'feed' | 'views' | 'audit' | 'channels'>;

/** Where messages of the program come from, as a label of theirs. */
const SOURCE = { 'svc/message-source': 'channel.publish' };

/** What sessions that a channel began say there; each method in the caller's transaction. */
export class ChannelPublishing {
  readonly #deps: ChannelPublishingDeps;
  readonly #log: ChannelLog;
  readonly #writes: MessageWrites;

  constructor(deps: ChannelPublishingDeps) {
    this.#deps = deps;
    this.#log = new ChannelLog(deps);
    this.#writes = new MessageWrites(deps, this.#log);
  }

  /** As `ChannelsDeps.artifactObjects`. */
  get artifactObjects(): ChannelsDeps['artifactObjects'] {
    return this.#deps.artifactObjects;
  }

  /**
   * Stores a message of the agent and answers its id and channel. Throws CONTENT_REQUIRED, TOO_LARGE, NOT_LINKED, REPLY_DISABLED,
   * CHANNEL_NOT_FOUND, CHANNEL_CLOSED.
   */
  async publish(tx: WriteTx, speaker: Speaker, { content, attachments }: Publication) {
    const text = content.trim();
    if (text === '' && attachments.length === 0)
      throw new Fault('INVALID_ARGUMENT', 'CONTENT_REQUIRED', 'content must not be blank without artifacts');
    const { contentBytes } = this.#deps.limits;
    if (isContentTooLarge(text, contentBytes))
      throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `content has more than ${contentBytes} bytes`);
    const { route, channel } = await this.#linked(tx, speaker);
    requireOpen(channel);
    const { agent, sessionId, cause } = speaker;
    const { row } = await this.#writes.write(tx, channel, {
      body: {
        authorKind: 'agent',
        author: agent,
        content: text,
        sourceAgent: agent,
        sourceSessionId: sessionId,
        labels: SOURCE,
        hops: route.hops + 1,
        ...(attachments.length === 0 ? {} : { attachments }),
      },
      subscriptionNames: [],
      cause,
      shown: { sessionId, agent },
    });
    await this.#markAnswered(tx, speaker, route);
    await this.#deps.published(tx, {
      namespace: speaker.namespace,
      channel: route.channel,
      channelUid: channel.uid,
      triggerMessageId: route.messageId,
      messageId: row.id,
      agent,
      sessionId,
      content: text,
      attachments,
    });
    return { published: true, messageId: row.id, channel: route.channel };
  }

  /** Shows that the agent does not answer. Throws NOT_LINKED, REPLY_DISABLED, CHANNEL_NOT_FOUND. */
  async skip(tx: WriteTx, speaker: Speaker, reason: string): Promise<void> {
    const { route, channel } = await this.#linked(tx, speaker);
    const { agent, sessionId } = speaker;
    await tx.channels.lock(channel.uid);
    const body = { sessionId, agent, subscription: route.subscription, error: reason };
    await this.#log.append(tx, channel, [{ kind: ChannelEventKind.PUBLISH_SKIPPED, at: tx.now(), body }]);
    await this.#markAnswered(tx, speaker, route);
  }

  /** Shows followers of the channel that something of the session was not published; a channel that is gone has none. */
  async showRefused(
    tx: WriteTx,
    speaker: Pick<Speaker, 'namespace' | 'agent' | 'sessionId'>,
    { reason, message }: Pick<Fault, 'reason' | 'message'>,
  ): Promise<void> {
    const route = await routeOfSession(tx, speaker);
    const channel = route === undefined ? undefined : await channelOf(tx, speaker, route);
    if (route === undefined || channel === undefined) return;
    await tx.channels.lock(channel.uid);
    const body = { agent: speaker.agent, subscription: route.subscription, error: `${reason}: ${message}` };
    await this.#log.append(tx, channel, [{ kind: ChannelEventKind.ERROR, at: tx.now(), body }]);
  }

  async #linked(
    tx: WriteTx,
    speaker: Speaker,
  ): Promise<{ readonly route: ChannelRoute; readonly channel: StoredResource }> {
    const route = await routeOfSession(tx, speaker);
    if (route === undefined)
      throw new Fault('FAILED_PRECONDITION', 'NOT_LINKED', 'no channel began this session: there is none to answer in');
    if (route.replyMode === 'none')
      throw new Fault('FAILED_PRECONDITION', 'REPLY_DISABLED', 'the subscription of this session allows no replies');
    const channel = await channelOf(tx, speaker, route);
    if (channel === undefined) throw resourceNotFound(recordKey('Channel', speaker.namespace, route.channel));
    return { route, channel };
  }

  #markAnswered(tx: WriteTx, speaker: Speaker, route: ChannelRoute): Promise<void> {
    return keepRoute({ tx, writer: this.#deps.writer }, speaker, { ...route, answeredBy: speaker.turnId });
  }
}

/** The channel that the session belongs to, while it exists: one that was made again under the name is another. */
const channelOf = async (
  tx: WriteTx,
  { namespace }: Pick<Speaker, 'namespace'>,
  route: ChannelRoute,
): Promise<StoredResource | undefined> => {
  const channel = await tx.resources.get(recordKey('Channel', namespace, route.channel));
  return channel?.uid === route.channelUid ? channel : undefined;
};
