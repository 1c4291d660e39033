import { create } from '@bufbuild/protobuf';
import { type ChannelEvent, ChannelEventSchema } from '@svc/api/events';
import type { Bus, ChannelEventRow } from '../../../store/contracts/index.ts';
import { channelSubject, type EventBody } from '../channel-log.ts';
import type { MessageForms } from '../message/index.ts';
import type { ChannelCursors } from './channel-cursor.ts';

/** A stream that follows the channel. */
export interface ChannelFollower {
  receive(event: ChannelEventRow): void;
  /** Live events may have been lost. */
  lost(): void;
  /** The channel was deleted. */
  gone(): void;
}

export interface HubDeps {
  readonly bus: Bus;
  readonly forms: MessageForms;
  readonly cursors: ChannelCursors;
}

export interface ChannelAddress {
  readonly uid: string;
  readonly namespace: string;
  readonly channel: string;
}

/** One channel with followers in this process: one subscription on the bus, each event made into a message once. */
export class ChannelHub {
  readonly #address: ChannelAddress;
  readonly #deps: HubDeps;
  readonly #followers = new Set<ChannelFollower>();
  readonly #messages = new WeakMap<ChannelEventRow, ChannelEvent>();
  readonly #stops: readonly (() => void)[];

  constructor(address: ChannelAddress, deps: HubDeps) {
    this.#address = address;
    this.#deps = deps;
    const subject = channelSubject(address.uid);
    this.#stops = [
      deps.bus.subscribe(subject, (event) => {
        for (const follower of [...this.#followers]) follower.receive(event as ChannelEventRow);
      }),
      deps.bus.onGap(subject, () => {
        for (const follower of [...this.#followers]) follower.lost();
      }),
    ];
  }

  add(follower: ChannelFollower): void {
    this.#followers.add(follower);
  }

  /** True when that was the last one; the hub is closed then. */
  remove(follower: ChannelFollower): boolean {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return false;
    for (const stop of this.#stops) stop();
    return true;
  }

  gone(): void {
    for (const follower of [...this.#followers]) follower.gone();
  }

  cursor(sequence: number): string {
    return this.#deps.cursors.encode(this.#address.uid, sequence);
  }

  message(row: ChannelEventRow): ChannelEvent {
    let message = this.#messages.get(row);
    if (message === undefined) {
      message = this.#build(row);
      this.#messages.set(row, message);
    }
    return message;
  }

  #build(row: ChannelEventRow): ChannelEvent {
    const { namespace, channel } = this.#address;
    const { sessionId = '', agent = '', subscription = '', error = '' } = JSON.parse(row.body) as EventBody;
    return create(ChannelEventSchema, {
      ...{ ns: namespace, channel, kind: row.kind as number, sessionId, agent, subscription, error },
      ...(row.message === undefined ? {} : { message: this.#deps.forms.of(row.message, { namespace, channel }) }),
      timestamp: BigInt(row.at),
      sequence: BigInt(row.sequence),
      cursor: this.cursor(row.sequence),
    });
  }
}
