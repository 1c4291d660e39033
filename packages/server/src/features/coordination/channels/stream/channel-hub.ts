import type { ChannelEvent } from '@svc/api/events';
import { resourceNotFound } from '../../../../resources/index.ts';
import type { ChannelEventRow, StoredResource } from '../../../../store/contracts/index.ts';
import { Hub } from '../../../../streams/index.ts';
import { channelEvent, type EventForms } from './channel-event-form.ts';
import type { ChannelFeed } from './channel-feed.ts';

/** One channel with followers in this process: each event is made into a message once. */
export class ChannelHub extends Hub<ChannelEventRow> {
  readonly #channel: StoredResource;
  readonly #forms: EventForms;
  readonly #messages = new WeakMap<ChannelEventRow, ChannelEvent>();

  constructor(channel: StoredResource, feed: ChannelFeed, forms: EventForms) {
    super(feed);
    this.#channel = channel;
    this.#forms = forms;
  }

  /** The channel was deleted: every stream of it ends. */
  gone(): void {
    for (const member of this.members) member.reader.end(resourceNotFound(this.#channel.key));
  }

  message(row: ChannelEventRow): ChannelEvent {
    let message = this.#messages.get(row);
    if (message === undefined) {
      const { uid, key } = this.#channel;
      message = channelEvent(row, { uid, namespace: key.namespace, channel: key.name }, this.#forms);
      this.#messages.set(row, message);
    }
    return message;
  }
}
