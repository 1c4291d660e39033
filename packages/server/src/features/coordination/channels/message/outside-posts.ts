import { Fault } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { WriteTx } from '../../../../store/contracts/index.ts';
import { findChannel, requireOpen } from '../channel-access.ts';
import type { ChannelLog } from '../channel-log.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import type { RoutableMessage, SubscriptionOutcome } from '../routing/index.ts';
import { isContentTooLarge } from './message-rules.ts';
import { MessageWrites } from './message-writes.ts';

/** A message that someone outside of svc wrote. */
export interface OutsideMessage extends Pick<RoutableMessage, 'routed'> {
  readonly namespace: string;
  readonly channel: string;
  readonly authorKind: string;
  readonly author: string;
  readonly content: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly attachments: readonly ObjectData[];
  /** Whom the turns work for that it begins. */
  readonly identity: string;
}

interface PostedOutside {
  readonly channelUid: string;
  readonly messageId: string;
  /** What each subscription of the channel made of it. */
  readonly outcomes: readonly SubscriptionOutcome[];
}

/** Messages of people on other platforms, which connectors bring: posted as those of callers are, in the transaction that accepts them. */
export class OutsidePosts {
  readonly #writes: MessageWrites;
  readonly #contentBytes: number;

  constructor(deps: ChannelsDeps, log: ChannelLog) {
    this.#writes = new MessageWrites(deps, log);
    this.#contentBytes = deps.limits.contentBytes;
  }

  /** Throws CHANNEL_NOT_FOUND, CHANNEL_CLOSED, TOO_LARGE. */
  async post(tx: WriteTx, message: OutsideMessage): Promise<PostedOutside> {
    const { namespace, channel: name, routed, identity, authorKind, author, content, labels, attachments } = message;
    const channel = await findChannel(tx, { ns: namespace, channel: name });
    requireOpen(channel);
    if (isContentTooLarge(content, this.#contentBytes))
      throw new Fault('RESOURCE_EXHAUSTED', 'TOO_LARGE', `text: more than ${this.#contentBytes} bytes`);
    const { row, outcomes } = await this.#writes.write(tx, channel, {
      body: { authorKind, author, content, labels, ...(attachments.length === 0 ? {} : { attachments }) },
      subscriptionNames: [],
      cause: { identity, lineage: [] },
      ...(routed === undefined ? {} : { routed }),
    });
    return { channelUid: channel.uid, messageId: row.id, outcomes };
  }
}
