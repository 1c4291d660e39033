import type { ChannelEvent } from '@svc/api/events';
import { Fault } from '../../../../base/index.ts';
import type { ChannelEventRow } from '../../../../store/contracts/index.ts';
import { Follow } from '../../../../streams/index.ts';
import type { StreamSink } from '../../../contract.ts';
import { type ChannelFeed, PAGE } from './channel-feed.ts';
import type { ChannelFollower, ChannelHub } from './channel-hub.ts';

/** Bounds of what waits for one lagging reader. */
export interface ReaderLimits {
  readonly events: number;
  readonly bytes: number;
}

export interface ReaderParts {
  readonly hub: ChannelHub;
  readonly feed: ChannelFeed;
  readonly sink: StreamSink<ChannelEvent>;
  readonly limits: ReaderLimits;
  /** What a stream of this channel ends with once the channel is gone. */
  readonly goneFault: () => Fault;
}

/** Rough cost of an event without its message. */
const EVENT_BYTES = 256;

/**
 * One stream of a channel: history page by page at the reader's pace, then live through `Follow`. What a lagging reader
 * has not taken waits within bounds; beyond them the stream ends with SLOW_CONSUMER and the cursor to resume from.
 */
export class ChannelReader implements ChannelFollower {
  readonly ended: Promise<void>;
  readonly #parts: ReaderParts;
  readonly #follow: Follow<ChannelEventRow>;
  readonly #settle: PromiseWithResolvers<void>;
  /** Events that wait for a lagging reader; undefined while it keeps up. */
  #waiting: ChannelEventRow[] | undefined;
  #waitingBytes = 0;
  #lastSequence = 0;
  #isEnded = false;
  #wake: () => void = () => undefined;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#settle = Promise.withResolvers<void>();
    this.ended = this.#settle.promise;
    this.#follow = new Follow(parts.feed, {
      deliver: (event) => this.#deliver(event),
      fail: (error) => this.end(error),
    });
    parts.sink.onDrained(() => this.#drained());
  }

  /** Begins behind `position`. `settled`: nothing is stored behind it. Must already be in its hub. */
  async start(position: number, settled: boolean): Promise<void> {
    this.#lastSequence = position;
    const reached = settled ? position : await this.#catchUp(position);
    if (!this.#isEnded) this.#follow.start(reached, true);
  }

  receive(event: ChannelEventRow): void {
    this.#follow.receive(event);
  }

  lost(): void {
    this.#follow.lost();
  }

  gone(): void {
    this.end(this.#parts.goneFault());
  }

  /** Ends the stream once: OK without a fault. */
  end(fault?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#waiting = undefined;
    this.#follow.stop();
    this.#wake();
    if (fault === undefined) this.#settle.resolve();
    else this.#settle.reject(fault);
  }

  /** Sends what is stored, waiting whenever the reader lags; answers where it stopped. */
  async #catchUp(from: number): Promise<number> {
    let position = from;
    for (;;) {
      const rows = await this.#parts.feed.page(position);
      for (const row of rows) {
        if (this.#isEnded) return position;
        this.#send(row);
        position = row.sequence;
        await this.#writable();
      }
      if (rows.length < PAGE || this.#isEnded) return position;
    }
  }

  async #writable(): Promise<void> {
    while (!this.#parts.sink.writable && !this.#isEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #send(row: ChannelEventRow): boolean {
    this.#lastSequence = row.sequence;
    return this.#parts.sink.send(this.#parts.hub.message(row), this.#cursor());
  }

  #deliver(row: ChannelEventRow): void {
    if (this.#isEnded) return;
    if (this.#waiting === undefined) {
      if (!this.#send(row)) this.#waiting = [];
      return;
    }
    const { limits } = this.#parts;
    this.#waiting.push(row);
    this.#waitingBytes += bytesOf(row);
    if (this.#waiting.length > limits.events || this.#waitingBytes > limits.bytes) this.#endSlow(this.#waiting);
  }

  /** The buffered events still go out, then the fault that names the last of them. */
  #endSlow(waiting: readonly ChannelEventRow[]): void {
    for (const row of waiting) this.#send(row);
    const metadata = { cursor: this.#cursor() };
    this.end(new Fault('ABORTED', 'SLOW_CONSUMER', 'the reader is too slow: resume from the cursor', { metadata }));
  }

  #drained(): void {
    this.#wake();
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      this.#waitingBytes -= bytesOf(row);
      if (!this.#send(row)) return;
    }
    this.#waiting = undefined;
  }

  #cursor(): string {
    return this.#parts.hub.cursor(this.#lastSequence);
  }
}

const bytesOf = (row: ChannelEventRow): number => EVENT_BYTES + row.body.length + (row.message?.body.length ?? 0);
