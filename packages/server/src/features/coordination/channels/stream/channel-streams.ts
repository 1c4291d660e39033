import type { ChannelEvent } from '@svc/api/events';
import type { StreamChannelEventsRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import type { StreamSink } from '../../../../operations/index.ts';
import { resourceNotFound } from '../../../../resources/index.ts';
import type { ChannelEventRow, StoredResource } from '../../../../store/contracts/index.ts';
import { FormingSink, Hubs, Member, Reader } from '../../../../streams/index.ts';
import { findChannel } from '../channel-access.ts';
import { type ChannelLog, channelSubject } from '../channel-log.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import type { MessageForms } from '../message/index.ts';
import { ChannelCursors, cursorExpired } from './channel-cursor.ts';
import { ChannelFeed } from './channel-feed.ts';
import { ChannelHub } from './channel-hub.ts';

interface Start {
  readonly position: number;
  readonly settled: boolean;
}

/** StreamChannelEvents. Streams are kept by the channel's uid: a channel made again is another one. */
export class ChannelStreams {
  readonly #deps: ChannelsDeps;
  readonly #log: ChannelLog;
  readonly #forms: MessageForms;
  readonly #cursors: ChannelCursors;
  readonly #hubs: Hubs<ChannelEventRow, ChannelHub>;

  constructor(deps: ChannelsDeps, log: ChannelLog, forms: MessageForms) {
    this.#deps = deps;
    this.#log = log;
    this.#forms = forms;
    this.#cursors = new ChannelCursors(deps.store.epoch);
    this.#hubs = new Hubs(deps.bus);
    deps.feed.subscribe((changes) => {
      for (const { change, resource } of changes)
        if (change === 'deleted' && resource.key.kind === 'Channel') this.#hubs.get(resource.uid)?.gone();
    });
  }

  /** Subscribes first, checks and reads then, so that nothing falls between. */
  async stream(request: StreamChannelEventsRequest, call: CallContext, sink: StreamSink<ChannelEvent>): Promise<void> {
    const { direct } = this.#deps.store;
    const record = await findChannel(direct, request);
    if (call.signal.aborted) return;
    const hub = this.#hub(record);
    const { bufferEvents: events, bufferBytes: bytes } = this.#deps.limits;
    const formed = new FormingSink<ChannelEventRow, ChannelEvent>(sink, (row) => hub.message(row));
    const reader = new Reader(formed, { events, bytes });
    const member = new Member(reader, hub);
    hub.add(member);
    reader.adopt(member);
    await reader.run(call.signal, async () => {
      const still = await findChannel(direct, request);
      if (still.uid !== record.uid) throw resourceNotFound(record.key);
      const { position, settled } = await this.#start(request.after, record.uid);
      if (reader.ended) return;
      sink.open();
      member.follow.start(position, settled);
    });
  }

  #hub(record: StoredResource): ChannelHub {
    const { uid } = record;
    return this.#hubs.open(uid, channelSubject(uid), () => {
      const feed = new ChannelFeed(uid, this.#cursors.line(uid), this.#deps.store);
      return new ChannelHub(record, feed, { forms: this.#forms, cursors: this.#cursors });
    });
  }

  /** `""` and `"live"`: what comes; `"0"`: from the oldest event kept; a cursor: from the event after it. */
  async #start(after: string, uid: string): Promise<Start> {
    const history = this.#log.history(this.#deps.store);
    const { oldest, newest } = await this.#deps.store.direct.channels.eventRange(uid, history);
    if (after === '' || after === 'live') return { position: newest, settled: true };
    const position = after === '0' ? oldest - 1 : this.#cursors.decode(after, uid);
    if (position > newest || position < oldest - 1) throw cursorExpired();
    return { position, settled: position === newest };
  }
}
