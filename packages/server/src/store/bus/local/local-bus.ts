import type { Log } from '../../../base/index.ts';
import type { Bus } from '../../contracts/index.ts';

type Receive = (message: unknown) => void;

/**
 * A subscriber that throws is logged and does not keep the message from the others. One that (un)subscribes while a
 * message is delivered affects later messages only, except that a removed one gets nothing more. What a subscriber
 * publishes is delivered after the message in hand, so that all see one order.
 */
export const createLocalBus = (log: Log): Bus => new LocalBus(log);

class LocalBus implements Bus {
  readonly #log: Log;
  readonly #subscribers = new Map<string, Set<{ readonly receive: Receive }>>();
  readonly #waiting: { readonly subject: string; readonly message: unknown }[] = [];
  #isDelivering = false;

  constructor(log: Log) {
    this.#log = log;
  }

  publish(subject: string, message: unknown): void {
    if (!this.#subscribers.has(subject)) return;
    if (this.#isDelivering) {
      this.#waiting.push({ subject, message });
      return;
    }
    this.#isDelivering = true;
    this.#deliver(subject, message);
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      this.#deliver(next.subject, next.message);
    this.#isDelivering = false;
  }

  subscribe(subject: string, receive: Receive): () => void {
    const subscriber = { receive };
    const known = this.#subscribers.get(subject);
    if (known === undefined) this.#subscribers.set(subject, new Set([subscriber]));
    else known.add(subscriber);
    return () => this.#unsubscribe(subject, subscriber);
  }

  onGap(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {
    this.#subscribers.clear();
    this.#waiting.length = 0;
  }

  #unsubscribe(subject: string, subscriber: { readonly receive: Receive }): void {
    const known = this.#subscribers.get(subject);
    if (known?.delete(subscriber) === true && known.size === 0) this.#subscribers.delete(subject);
  }

  #deliver(subject: string, message: unknown): void {
    const subscribers = this.#subscribers.get(subject);
    if (subscribers === undefined) return;
    if (subscribers.size === 1) {
      // The common case needs no copy.
      for (const only of subscribers) return this.#receive(only.receive, message);
    }
    for (const subscriber of [...subscribers])
      if (subscribers.has(subscriber)) this.#receive(subscriber.receive, message);
  }

  #receive(receive: Receive, message: unknown): void {
    try {
      receive(message);
    } catch (error) {
      this.#log.error('a subscriber of the bus failed', {}, error);
    }
  }
}
