import { create } from '@bufbuild/protobuf';
import { type ChannelMessageConsumer, ChannelMessageConsumerSchema, MessageConsumerSchema } from '@svc/api/data';
import { ResourceRefSchema } from '@svc/api/resources';
import { isFault } from '../../../../base/index.ts';
import { recordKey, resourceNotFound } from '../../../../resources/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import { channelSubject, keepContext, senderName } from '../context/index.ts';
import { type Consumed, Refused, type RoutedEvent, type SubscriptionOutcome } from './consumer.ts';

/** A message that someone outside wrote in a channel. */
export interface OutsidePost {
  readonly namespace: string;
  readonly channel: string;
  readonly authorKind: string;
  readonly author: string;
  readonly content: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly attachments: readonly ObjectData[];
  /** Whom the turns work for that it begins. */
  readonly identity: string;
  /** An agent that is called whatever its subscriptions say; it cannot answer where `isSilent`. */
  readonly routed?: { readonly agent: string; readonly isSilent: boolean };
}

/** Posts in channels, in the caller's transaction: the message and the sessions that it begins. */
export interface ChannelPosts {
  /** Throws CHANNEL_NOT_FOUND, CHANNEL_CLOSED. */
  post(
    tx: WriteTx,
    post: OutsidePost,
  ): Promise<{
    readonly channelUid: string;
    readonly messageId: string;
    readonly outcomes: readonly SubscriptionOutcome[];
  }>;
}

export interface ChannelConsumerDeps {
  readonly channels: ChannelPosts;
  /** The object as its bytes are named in a namespace. */
  readonly objectIn: (namespace: string, object: ObjectData) => ObjectData;
}

/** A message is posted once; the agent that the connector names is called, and those whose subscriptions take it. */
export const toChannel = async (
  { deps, tx }: { readonly deps: ChannelConsumerDeps; readonly tx: WriteTx },
  routed: RoutedEvent,
  consumer: ChannelMessageConsumer,
): Promise<Consumed> => {
  const namespace = consumer.channel?.namespace || routed.connector.key.namespace;
  const channel = consumer.channel?.name ?? '';
  const agent = consumer.agent?.name ?? '';
  if (agent !== '') {
    const key = recordKey('Agent', namespace, agent);
    if ((await tx.resources.get(key)) === undefined) throw resourceNotFound(key);
  }
  const { channelUid, messageId, outcomes } = await posted(deps, tx, {
    ...authorOf(routed),
    namespace,
    channel,
    content: contentOf(routed),
    labels: routed.labels,
    attachments: routed.attachments.map((object) => deps.objectIn(namespace, object)),
    identity: routed.identity,
    ...(agent === '' ? {} : { routed: { agent, isSilent: routed.context.replyMode === 'none' } }),
  });
  await keepContext(tx, { namespace, subject: channelSubject(channelUid, messageId) }, routed.context);
  const settled = create(ChannelMessageConsumerSchema, {
    ...consumer,
    channel: create(ResourceRefSchema, { ...consumer.channel, name: channel, namespace }),
    ...(agent === '' ? {} : { agent: create(ResourceRefSchema, { ...consumer.agent, name: agent, namespace }) }),
  });
  return { consumer: create(MessageConsumerSchema, { channel: settled }), runId: '', subscriptions: outcomes };
};

const posted = async (deps: ChannelConsumerDeps, tx: WriteTx, post: OutsidePost) => {
  try {
    return await deps.channels.post(tx, post);
  } catch (error) {
    if (isFault(error) && error.reason === 'CHANNEL_CLOSED') throw new Refused('channel_closed');
    throw error;
  }
};

/** Messages of agents elsewhere are those of an app here: the channel knows its own agents only. */
const authorOf = ({ event }: RoutedEvent) => {
  const kind = (event.sender?.kind ?? '').trim();
  const authorKind = kind === '' ? 'user' : kind === 'agent' ? 'app' : kind;
  return { authorKind, author: senderName(event) || 'external' };
};

const contentOf = ({ event, attachments }: RoutedEvent): string =>
  event.text.trim() === ''
    ? attachments.map(({ filename }) => `[attachment: ${filename === '' ? 'unnamed' : filename}]`).join('\n')
    : event.text.trim();
