import { toJson } from '@bufbuild/protobuf';
import { ChannelEventSchema } from '@svc/api/events';
import type { Bus } from '../../../../store/contracts/index.ts';
import { CHANNEL_ACTIVITY, type ChannelActivity } from '../channel-log.ts';
import { MessageForms } from '../message/index.ts';
import { ChannelCursors } from './channel-cursor.ts';
import { channelEvent } from './channel-event-form.ts';

/** One event of any channel: `data` is the JSON text of its ChannelEvent. */
export interface ChannelEventText {
  readonly namespace: string;
  readonly channel: string;
  readonly data: string;
}

/** Live events of all channels, for consoles (`/v1/ui/events`); what no one is subscribed to costs nothing. */
export class ChannelActivities {
  readonly #bus: Pick<Bus, 'subscribe'>;
  readonly #forms: MessageForms;
  readonly #cursors: ChannelCursors;

  constructor(deps: { readonly bus: Pick<Bus, 'subscribe'>; readonly epoch: string }) {
    this.#bus = deps.bus;
    this.#forms = new MessageForms();
    this.#cursors = new ChannelCursors(deps.epoch);
  }

  /** Answers how to stop. */
  subscribe(receive: (event: ChannelEventText) => void): () => void {
    return this.#bus.subscribe(CHANNEL_ACTIVITY, (message) => {
      const { event, namespace, channel } = message as ChannelActivity;
      const address = { uid: event.channelUid, namespace, channel };
      const form = channelEvent(event, address, { forms: this.#forms, cursors: this.#cursors });
      const data = JSON.stringify(toJson(ChannelEventSchema, form, { alwaysEmitImplicit: true }));
      receive({ namespace, channel, data });
    });
  }
}
