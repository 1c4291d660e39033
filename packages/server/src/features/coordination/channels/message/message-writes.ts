import { ChannelEventKind } from '@svc/api/events';
import { idsAfter } from '../../../../base/index.ts';
import {
  type ChannelMessageRow,
  channelMessageHolder,
  type StoredResource,
  type WriteTx,
} from '../../../../store/contracts/index.ts';
import { touchChannel } from '../channel-kind.ts';
import type { ChannelLog, EventBody, NewEvent } from '../channel-log.ts';
import type { MessageBody } from '../channel-message.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import {
  ChannelRouting,
  type RoutableMessage,
  type RouteOutcome,
  routeEvents,
  type SubscriptionOutcome,
  subscriptionOutcomes,
} from '../routing/index.ts';

/** A message to store, and what is shown with its event. */
export interface MessageDraft extends Omit<RoutableMessage, 'channel' | 'row'> {
  readonly shown?: EventBody;
}

export interface WrittenMessage {
  readonly row: ChannelMessageRow;
  readonly routes: readonly RouteOutcome[];
  /** What each subscription made of it. */
  readonly outcomes: readonly SubscriptionOutcome[];
}

type WriteDeps = Pick<ChannelsDeps, 'ids' | 'objects' | 'admission' | 'lifecycle' | 'writer' | 'limits'>;

/** Stores messages of channels, posted or published: the row, what it holds, the sessions that it begins, and the events, in one transaction. */
export class MessageWrites {
  readonly #deps: WriteDeps;
  readonly #log: ChannelLog;
  readonly #routing: ChannelRouting;

  constructor(deps: WriteDeps, log: ChannelLog) {
    this.#deps = deps;
    this.#log = log;
    this.#routing = new ChannelRouting(deps);
  }

  async write(tx: WriteTx, channel: StoredResource, draft: MessageDraft): Promise<WrittenMessage> {
    await tx.channels.lock(channel.uid);
    await touchChannel(tx, channel);
    const plan = await this.#routing.plan(tx, { ...draft, channel });
    const isRoutedAgent = plan.called.length > 0 && draft.body.authorKind === 'agent';
    const body: MessageBody = { ...draft.body, ...(isRoutedAgent ? { isRoutedAgent } : {}) };
    const row = await this.#insert(tx, channel, body);
    const routes = await this.#routing.begin(tx, { ...draft, channel, row, body }, plan.called);
    const at = tx.now();
    const guard: readonly NewEvent[] =
      plan.guard === '' ? [] : [{ kind: ChannelEventKind.ERROR, at, body: { agent: body.author, error: plan.guard } }];
    const created = { kind: ChannelEventKind.MESSAGE_CREATED, at, message: row, body: draft.shown ?? {} };
    await this.#log.append(tx, channel, [created, ...guard, ...routeEvents(routes, at)]);
    return { row, routes, outcomes: subscriptionOutcomes(plan, routes) };
  }

  async #insert(tx: WriteTx, { uid, key }: StoredResource, body: MessageBody): Promise<ChannelMessageRow> {
    // Messages are listed by id, and their events are numbered as they are posted: both have to be one order.
    const [newest] = await tx.channels.messagesBefore(uid, undefined, 1);
    const [id = ''] = idsAfter(this.#deps.ids, newest?.id ?? '', 1);
    const row = { channelUid: uid, id, createdAt: tx.now(), body: JSON.stringify(body) };
    await tx.channels.insertMessage(row);
    for (const object of body.attachments ?? [])
      await this.#deps.objects.hold(tx, key.namespace, object, channelMessageHolder(uid, id));
    return row;
  }
}
