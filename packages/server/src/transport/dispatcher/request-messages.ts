import { Fault } from '../../base/index.ts';

/** Messages of one client stream that may wait to be handled. */
const MOST_WAITING = 1024;

/**
 * What a client streams, in its order: the request of a bidirectional operation. One reader. Filled by the wire, which
 * calls `end` or `fail` once; a reader slower than its client by 1,024 messages gets ABORTED SLOW_CONSUMER.
 */
export class RequestMessages {
  readonly #waiting: object[] = [];
  #wake: (() => void) | undefined;
  #ended = false;
  #failure: unknown;

  push(message: object): void {
    if (this.#ended) return;
    if (this.#waiting.length >= MOST_WAITING) {
      this.fail(new Fault('ABORTED', 'SLOW_CONSUMER', `more than ${MOST_WAITING} messages wait to be answered`));
      return;
    }
    this.#waiting.push(message);
    this.#wake?.();
  }

  /** No more will come; what waits is still handed out. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The stream is broken: nothing more is handed out. */
  fail(error: unknown): void {
    if (this.#ended) return;
    this.#failure = error;
    this.#waiting.length = 0;
    this.end();
  }

  /** The next message; undefined after the last. Rejects with what broke the stream. */
  async next(): Promise<object | undefined> {
    while (this.#waiting.length === 0 && !this.#ended) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#waiting.shift();
  }
}
