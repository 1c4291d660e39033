import type { Bus } from '../store/contracts/index.ts';
import type { Feed } from './feed.ts';
import type { Member } from './member.ts';

/** One feed that is followed in this process: one subscription on the bus for any number of members. No timer of its own. */
export class Hub<E, M extends Member<E> = Member<E>, F extends Feed<E> = Feed<E>> {
  readonly feed: F;
  /** A set: with a list, each of thousands of followers that join or leave would cost a pass over all others. */
  readonly #members = new Set<M>();
  /** Set by who opened the hub; called as the last member leaves. */
  emptied: () => void = ignore;

  constructor(feed: F) {
    this.feed = feed;
  }

  get members(): ReadonlySet<M> {
    return this.#members;
  }

  add(member: M): void {
    this.#members.add(member);
  }

  remove(member: M): void {
    this.#members.delete(member);
    if (this.#members.size === 0) this.emptied();
  }

  /** Takes one event from the bus; every member gets the same object. */
  receive(event: E): void {
    for (const member of this.#members) member.follow.receive(event);
  }

  /** Events may have been lost. */
  lost(): void {
    for (const member of this.#members) member.follow.lost();
  }
}

const ignore = (): void => undefined;

/** The open hubs of one kind of stream, by key: subscribed from the first member to the last. */
export class Hubs<E, H extends Pick<Hub<E>, 'receive' | 'lost' | 'emptied'>> {
  readonly #bus: Pick<Bus, 'subscribe' | 'onGap'>;
  readonly #hubs = new Map<string, H>();

  constructor(bus: Pick<Bus, 'subscribe' | 'onGap'>) {
    this.#bus = bus;
  }

  get(key: string): H | undefined {
    return this.#hubs.get(key);
  }

  /** The hub of the key. One that is not open is made and subscribed, and has to get a member at once. */
  open(key: string, subject: string, make: () => H): H {
    const known = this.#hubs.get(key);
    if (known !== undefined) return known;
    const hub = make();
    const { emptied } = hub;
    const endEvents = this.#bus.subscribe(subject, (event) => hub.receive(event as E));
    const endGaps = this.#bus.onGap(subject, () => hub.lost());
    hub.emptied = () => {
      endEvents();
      endGaps();
      this.#hubs.delete(key);
      emptied();
    };
    this.#hubs.set(key, hub);
    return hub;
  }
}
