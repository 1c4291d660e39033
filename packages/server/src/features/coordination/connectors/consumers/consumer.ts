import type { MessageConsumer } from '@svc/api/data';
import type { ConnectorMessageEvent } from '@svc/api/external';
import { Fault } from '../../../../base/index.ts';
import type { ObjectData } from '../../../../runtime/contract.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import type { ConnectorContext } from '../context/index.ts';
import { consumerMode, replyModeOf } from '../outbox/index.ts';

/** An event on its way to the consumer of its connector. */
export interface RoutedEvent {
  readonly event: ConnectorMessageEvent;
  readonly connector: StoredResource;
  readonly consumer: MessageConsumer;
  readonly context: ConnectorContext;
  readonly labels: Readonly<Record<string, string>>;
  readonly attachments: readonly ObjectData[];
  /** Whom the work is done for. */
  readonly identity: string;
}

/** What became of an event: its consumer with everything filled in, and the run that it began. */
export interface Consumed {
  readonly consumer: MessageConsumer;
  /** '' where no workflow runs. */
  readonly runId: string;
  /** The session that takes the message, where one does: made for it, or there before. */
  readonly session?: 'new' | 'existing';
  /** What each subscription of the channel made of the message, where a channel takes it. */
  readonly subscriptions?: readonly SubscriptionOutcome[];
}

/** What became of one subscription of a channel. */
export interface SubscriptionOutcome {
  /** '' for the agent that the connector calls. */
  readonly subscription: string;
  readonly agent: string;
  readonly trigger: string;
  readonly replyMode: string;
  /** `called`, or what kept the subscription from calling its agent. */
  readonly outcome: string;
  /** `REASON: text` of what failed; '' for nothing. */
  readonly error: string;
}

/** The consumer does not take messages on purpose: the event is answered so, and nothing of it is kept. */
export class Refused extends Fault {
  constructor(reason: 'channel_closed' | 'namespace_deleted' | 'input_schema') {
    super('FAILED_PRECONDITION', 'CONSUMER_REFUSED', reason);
  }
}

/** The reply mode of whatever member a consumer has. */
export const consumerReplyMode = (consumer: MessageConsumer): string => replyModeOf(consumerMode(consumer) ?? '');
