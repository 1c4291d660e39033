import type { ChannelMessage } from '@svc/api/data';
import type { ChannelEvent } from '@svc/api/events';

/** Events remembered: as many as the server keeps for a channel, all of which may be sent again. */
const SEEN_MAX = 10_000;

/** What was already shown of a channel, so that nothing is shown twice and nothing new is left out. */
export class ShownOfChannel {
  /** Ids of messages, numbers and times of other events; oldest first. */
  readonly #seen = new Set<string>();
  /** Ids of the first list. */
  #listed: ReadonlySet<string> = new Set();
  /** Id of the oldest listed message, if the channel has older ones: those were not asked for. */
  #oldest = '';
  #newest = '';
  /** Time of the newest listed message. */
  #listedAt = 0n;
  /** True while a stream repeats what happened before the list. */
  #isPast = false;
  #isAgain = false;

  /** Id of the newest shown message; '' for none. */
  get newest(): string {
    return this.#newest;
  }

  /** Records the first list; `hasOlder` says that the channel has messages before it. */
  start(listed: readonly ChannelMessage[], hasOlder: boolean): void {
    if (hasOlder) this.#oldest = listed[0]?.id ?? '';
    this.#listed = new Set(listed.map(({ id }) => id));
    for (const { id, createdAt } of listed) {
      this.#remember(id);
      if (createdAt > this.#listedAt) this.#listedAt = createdAt;
    }
    this.#noteNewest(listed.at(-1)?.id);
  }

  /** From now on the server sends everything that it keeps again, including what came before the list. */
  startAgain(): void {
    this.#isPast = true;
    this.#isAgain = true;
  }

  /** False for what was shown, and for repeats from before the list. */
  takes(event: ChannelEvent): boolean {
    const { message, timestamp, sequence } = event;
    if (message !== undefined) {
      if (!this.#listed.has(message.id) && message.id >= this.#oldest) this.#isPast = false;
      return this.takesMessage(message);
    }
    if (this.#isPast && timestamp < this.#listedAt) return false;
    // A restored store counts on from the state of the backup, so a number identifies an event only together with its time.
    return this.#remember(`${sequence}@${timestamp}`);
  }

  /** As `takes`, for a message. */
  takesMessage({ id }: ChannelMessage): boolean {
    // A live message may be older than those of the list, because its writer was slower. A repeated one was there before.
    if (this.#isAgain && id < this.#oldest) return false;
    this.#noteNewest(id);
    return this.#remember(id);
  }

  #noteNewest(id = ''): void {
    if (id > this.#newest) this.#newest = id;
  }

  /** False when it was shown. */
  #remember(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    if (this.#seen.size > SEEN_MAX) for (const oldest of this.#seen.keys().take(1)) this.#seen.delete(oldest);
    return true;
  }
}
