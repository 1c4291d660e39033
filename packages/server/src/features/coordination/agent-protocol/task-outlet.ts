import type { SessionEvent } from '../../../runtime/contract.ts';
import type { Sink } from '../../../streams/index.ts';

/** Events that wait for a slow peer before the stream is held. */
const MAX_WAITING = 256;

/** Turns the events that a stream pushes into ones that are taken one by one. */
export class TaskOutlet implements Sink<SessionEvent> {
  readonly #waiting: SessionEvent[] = [];
  #isEnded = false;
  #failure: unknown;
  #wake: () => void = () => undefined;
  #drained: () => void = () => undefined;

  open(): void {
    // Nothing has to be sent before the first event.
  }

  send(event: SessionEvent): boolean {
    this.#waiting.push(event);
    this.#wake();
    return this.#waiting.length < MAX_WAITING;
  }

  onDrained(notify: () => void): void {
    this.#drained = notify;
  }

  /** No event follows; with a failure, taking the last one throws it. */
  end(failure?: unknown): void {
    this.#isEnded = true;
    this.#failure = failure;
    this.#wake();
  }

  async *events(): AsyncGenerator<SessionEvent, void, undefined> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) {
        if (this.#waiting.length === 0) this.#drained();
        yield event;
      } else if (this.#isEnded) {
        if (this.#failure !== undefined) throw this.#failure;
        return;
      } else {
        const { promise, resolve } = Promise.withResolvers<void>();
        this.#wake = resolve;
        await promise;
      }
    }
  }
}
