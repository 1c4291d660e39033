import { create } from '@bufbuild/protobuf';
import { ChannelEventKind } from '@svc/api/events';
import {
  type ChannelSpec,
  ChannelSpecSchema,
  type ChannelSubscriptionSpec,
  ChannelSubscriptionSpecSchema,
} from '@svc/api/resources';
import { isFault } from '../../../../base/index.ts';
import { isPassing } from '../../../../controllers/contract.ts';
import { messageFromText } from '../../../../resources/index.ts';
import { mediaPartType, PART, type Part, type TurnCause } from '../../../../runtime/contract.ts';
import {
  type ChannelMessageRow,
  everyResource,
  type StoredResource,
  sessionHolder,
  type WriteTx,
} from '../../../../store/contracts/index.ts';
import type { NewEvent } from '../channel-log.ts';
import type { MessageBody } from '../channel-message.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import { contextSize, replyModeOf } from '../subscription/index.ts';
import { CHANNEL_LABEL, keepRoute } from './route-link.ts';
import { type JudgedSubscription, judgeSubscriptions } from './routing-rules.ts';
import { type ReadMessage, turnText } from './turn-text-rules.ts';

/** A stored message that subscriptions are tried for. */
export interface RoutableMessage {
  readonly channel: StoredResource;
  readonly row: ChannelMessageRow;
  readonly body: MessageBody;
  readonly subscriptionNames: readonly string[];
  /** An agent that is called whatever the subscriptions say, for what someone outside wrote; it cannot answer where `isSilent`. */
  readonly routed?: { readonly agent: string; readonly isSilent: boolean };
  /** Whom the turns work for, and the turns that led to them. */
  readonly cause: Pick<TurnCause, 'identity' | 'lineage'>;
}

/** What became of one subscription that matched: a session and a turn, or why there is none. */
export interface RouteOutcome {
  readonly subscription: string;
  readonly agent: string;
  readonly sessionId: string;
  readonly turnId: string;
  /** `REASON: text`; '' on success. */
  readonly error: string;
}

/** A message with what was said before it, newest first: as much as any of its subscriptions wants. */
interface ReadableMessage extends RoutableMessage {
  readonly recent: readonly ReadMessage[];
}

export interface Subscription {
  readonly name: string;
  readonly spec: ChannelSubscriptionSpec;
}

/** What the subscriptions of a channel make of a message. */
export interface RoutingPlan {
  /** Every subscription that was tried, after the agent that the message is for whatever they say. */
  readonly judged: readonly JudgedSubscription<Subscription>[];
  /** Those that are called. */
  readonly called: readonly Subscription[];
  /** `REASON: text` of what keeps messages of agents from going anywhere for the moment; then none is called. */
  readonly guard: string;
}

const MINUTE_MICROS = 60_000_000;
/** Messages read at once to count those of agents; each may be large. */
const PAGE = 50;
const AGENT = 'agent';
const CAUSE = 'channel';

export type ChannelRoutingDeps = Pick<ChannelsDeps, 'admission' | 'lifecycle' | 'objects' | 'writer' | 'limits'>;

/**
 * Begins a session and a turn for each subscription that a message reaches, in the transaction that stores the message. A route that fails
 * is undone alone and reported; the message and the other routes stay. A fault of the store is not one of a route: it fails the whole transaction.
 */
export class ChannelRouting {
  readonly #deps: ChannelRoutingDeps;

  constructor(deps: ChannelRoutingDeps) {
    this.#deps = deps;
  }

  /** What becomes of the message; nothing is begun yet. */
  async plan(tx: WriteTx, message: Omit<RoutableMessage, 'row'>): Promise<RoutingPlan> {
    const { channel, body, subscriptionNames, routed } = message;
    const { maxHops, agentRate } = this.#deps.limits;
    const all = judgeSubscriptions({ ...body, subscriptionNames }, await subscriptionsOf(tx, channel), maxHops);
    const judged: readonly JudgedSubscription<Subscription>[] =
      routed === undefined
        ? all
        : [
            { subscription: calledAgent(routed), word: 'called' },
            ...all.filter(({ subscription }) => subscription.spec.agent !== routed.agent),
          ];
    const called = judged.filter(({ word }) => word === 'called').map(({ subscription }) => subscription);
    if (called.length === 0 || body.authorKind !== AGENT) return { judged, called, guard: '' };
    if ((await routedAgentMessages(tx, channel.uid, agentRate)) < agentRate) return { judged, called, guard: '' };
    const guard = `LOOP_GUARD: agents wrote ${agentRate} messages in this channel within a minute`;
    return { judged, called: [], guard };
  }

  /** Routes in the order of the subscriptions' names. */
  async begin(
    tx: WriteTx,
    message: RoutableMessage,
    subscriptions: readonly Subscription[],
  ): Promise<readonly RouteOutcome[]> {
    const recent = await recentMessages(tx, message, subscriptions);
    const outcomes: RouteOutcome[] = [];
    for (const subscription of subscriptions) {
      const { name, spec } = subscription;
      const route = { subscription: name, agent: spec.agent };
      try {
        const begun = await tx.savepoint(() => this.#begin(tx, { ...message, recent }, subscription));
        outcomes.push({ ...route, ...begun, error: '' });
      } catch (error) {
        if (!isFault(error) || isPassing(error)) throw error;
        outcomes.push({ ...route, sessionId: '', turnId: '', error: `${error.reason}: ${error.message}` });
      }
    }
    return outcomes;
  }

  async #begin(tx: WriteTx, message: ReadableMessage, { name, spec }: Subscription) {
    const { admission, lifecycle, objects, writer } = this.#deps;
    const { channel, row, body, cause } = message;
    const { namespace } = channel.key;
    const { agent } = spec;
    const replyMode = replyModeOf(spec);
    const hops = body.hops ?? 0;
    const labels = {
      'svc/message-source': CAUSE,
      [CHANNEL_LABEL]: channel.key.name,
      'svc/channel-message': row.id,
      'svc/channel-subscription': name,
      'svc/channel-trigger': spec.trigger,
      'svc/channel-reply-mode': replyMode,
      'svc/channel-hops': String(hops),
    };
    const { id: sessionId } = await lifecycle.create(tx, { namespace, agent, labels, identity: cause.identity });
    await keepRoute(
      { tx, writer },
      { namespace, agent, sessionId },
      {
        channelUid: channel.uid,
        channel: channel.key.name,
        subscription: name,
        messageId: row.id,
        replyMode,
        hops,
        answeredBy: '',
      },
    );
    for (const object of body.attachments ?? []) await objects.hold(tx, namespace, object, sessionHolder(sessionId));
    const { turnId } = await admission.admit(tx, {
      namespace,
      agent,
      sessionId,
      parts: turnParts(message, spec, tx.now()),
      labels,
      whenBusy: 'QUEUE',
      cause: { ...cause, kind: CAUSE, labels },
    });
    return { sessionId, turnId };
  }
}

/** Events of routes, to be shown after the message. */
export const routeEvents = (outcomes: readonly RouteOutcome[], at: number): readonly NewEvent[] =>
  outcomes.map(({ subscription, agent, sessionId, error }) =>
    error === ''
      ? { kind: ChannelEventKind.SESSION_ROUTED, at, body: { sessionId, agent, subscription } }
      : { kind: ChannelEventKind.ERROR, at, body: { agent, subscription, error } },
  );

/** The agent as if a subscription without a name took every message for it. */
const calledAgent = ({ agent, isSilent }: NonNullable<RoutableMessage['routed']>): Subscription => {
  const replyMode = isSilent ? 'none' : 'tool';
  const spec = create(ChannelSubscriptionSpecSchema, { agent, trigger: 'routed', replyMode });
  return { name: '', spec };
};

const subscriptionsOf = async (tx: WriteTx, { key }: StoredResource): Promise<readonly Subscription[]> => {
  const scope = { type: 'namespace', namespace: key.namespace } as const;
  const all = await everyResource(tx.resources, { kind: 'ChannelSubscription', scope, parent: key.name });
  return all
    .filter((record) => record.deletionTimestamp === undefined)
    .map((record) => ({
      name: record.key.name,
      spec: messageFromText(ChannelSubscriptionSpecSchema, record.spec) as ChannelSubscriptionSpec,
    }));
};

/** Messages of agents that were routed within the last minute; counts up to `most`. */
const routedAgentMessages = async (tx: WriteTx, channelUid: string, most: number): Promise<number> => {
  let count = 0;
  for (let before: string | undefined; ; ) {
    const page = await tx.channels.messagesBefore(channelUid, before, PAGE);
    for (const { createdAt, body } of page) {
      if (createdAt <= tx.now() - MINUTE_MICROS) return count;
      count += (JSON.parse(body) as MessageBody).isRoutedAgent === true ? 1 : 0;
      if (count >= most) return count;
    }
    before = page.at(-1)?.id;
    if (page.length < PAGE || before === undefined) return count;
  }
};

const recentMessages = async (
  tx: WriteTx,
  { channel, row }: RoutableMessage,
  subscriptions: readonly Subscription[],
): Promise<readonly ReadMessage[]> => {
  const size = Math.max(0, ...subscriptions.map(({ spec }) => contextSize(spec)));
  return size === 0 ? [] : (await tx.channels.messagesBefore(channel.uid, row.id, size)).map(readMessage);
};

const turnParts = (
  { channel, row, body, recent }: ReadableMessage,
  spec: ChannelSubscriptionSpec,
  createdAt: number,
): readonly Part[] => {
  const size = contextSize(spec);
  const text = turnText({
    channel: channel.key.name,
    title: (messageFromText(ChannelSpecSchema, channel.spec) as ChannelSpec).title,
    agent: spec.agent,
    replyMode: replyModeOf(spec),
    trigger: { id: row.id, ...body },
    before: size === 0 ? undefined : recent.slice(0, size).toReversed(),
  });
  const files = (body.attachments ?? []).map(
    (object): Part => ({
      id: '',
      type: mediaPartType(object.mediaType),
      name: object.filename,
      object,
      createdAt,
    }),
  );
  return [{ id: '', type: PART.TEXT, content: text, createdAt }, ...files];
};

const readMessage = ({ id, body }: ChannelMessageRow): ReadMessage => ({ id, ...(JSON.parse(body) as MessageBody) });
