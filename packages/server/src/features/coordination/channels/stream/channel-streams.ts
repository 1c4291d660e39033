import type { ChannelEvent } from '@svc/api/events';
import type { StreamChannelEventsRequest } from '@svc/api/gateway';
import type { CallContext } from '../../../../auth/contract.ts';
import type { StreamSink } from '../../../../operations/index.ts';
import { resourceNotFound } from '../../../../resources/index.ts';
import type { StoredResource } from '../../../../store/contracts/index.ts';
import { findChannel } from '../channel-access.ts';
import type { ChannelLog } from '../channel-log.ts';
import type { ChannelsDeps } from '../channels-deps.ts';
import type { MessageForms } from '../message/index.ts';
import { ChannelCursors, cursorExpired } from './channel-cursor.ts';
import { ChannelFeed } from './channel-feed.ts';
import { ChannelHub } from './channel-hub.ts';
import { ChannelReader } from './channel-reader.ts';

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
  readonly #hubs = new Map<string, ChannelHub>();

  constructor(deps: ChannelsDeps, log: ChannelLog, forms: MessageForms) {
    this.#deps = deps;
    this.#log = log;
    this.#forms = forms;
    this.#cursors = new ChannelCursors(deps.store.epoch);
    deps.feed.subscribe((changes) => {
      for (const { change, resource } of changes)
        if (change === 'deleted' && resource.key.kind === 'Channel') this.#hubs.get(resource.uid)?.gone();
    });
  }

  /** Subscribes first, looks and reads then, so that nothing falls between. */
  async stream(request: StreamChannelEventsRequest, call: CallContext, sink: StreamSink<ChannelEvent>): Promise<void> {
    const { direct } = this.#deps.store;
    const record = await findChannel(direct, request);
    const hub = this.#hub(record);
    const reader = this.#reader(record, hub, sink);
    const stop = (): void => reader.end();
    call.signal.addEventListener('abort', stop, { once: true });
    if (call.signal.aborted) stop();
    try {
      const still = await findChannel(direct, request);
      if (still.uid !== record.uid) throw resourceNotFound(record.key);
      const { position, settled } = await this.#start(request.after, record.uid);
      sink.open();
      await Promise.all([reader.start(position, settled), reader.ended]);
    } finally {
      reader.end();
      call.signal.removeEventListener('abort', stop);
      this.#leave(record.uid, hub, reader);
    }
  }

  #reader(record: StoredResource, hub: ChannelHub, sink: StreamSink<ChannelEvent>): ChannelReader {
    const { bufferEvents: events, bufferBytes: bytes } = this.#deps.limits;
    const reader = new ChannelReader({
      hub,
      sink,
      feed: new ChannelFeed(record.uid, this.#deps.store),
      limits: { events, bytes },
      goneFault: () => resourceNotFound(record.key),
    });
    reader.ended.catch(() => undefined);
    hub.add(reader);
    return reader;
  }

  #hub(record: StoredResource): ChannelHub {
    const known = this.#hubs.get(record.uid);
    if (known !== undefined) return known;
    const { namespace, name: channel } = record.key;
    const { bus } = this.#deps;
    const hub = new ChannelHub(
      { uid: record.uid, namespace, channel },
      { bus, forms: this.#forms, cursors: this.#cursors },
    );
    this.#hubs.set(record.uid, hub);
    return hub;
  }

  #leave(uid: string, hub: ChannelHub, reader: ChannelReader): void {
    if (hub.remove(reader) && this.#hubs.get(uid) === hub) this.#hubs.delete(uid);
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
