import type { ChannelEvent } from '@svc/api/events';
import type { Bus, ChannelEventRow } from '../../../../store/contracts/index.ts';
import { channelSubject } from '../channel-log.ts';
import { type ChannelAddress, channelEvent, type EventForms } from './channel-event-form.ts';

/** A stream that follows the channel. */
export interface ChannelFollower {
  receive(event: ChannelEventRow): void;
  /** Live events may have been lost. */
  lost(): void;
  /** The channel was deleted. */
  gone(): void;
}

export interface HubDeps extends EventForms {
  readonly bus: Bus;
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
      message = channelEvent(row, this.#address, this.#deps);
      this.#messages.set(row, message);
    }
    return message;
  }
}
