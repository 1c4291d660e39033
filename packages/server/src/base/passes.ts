/**
 * Runs one pass at a time. Requests that come while a pass runs share one more pass behind it, so that
 * the caller knows that everything it saw was handled.
 */
export class Passes {
  readonly #run: () => Promise<void>;
  #running: Promise<void> | undefined;
  /** What came while a pass runs waits for this. */
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** True after `close`; a pass that runs looks at it between two steps. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when a pass that began after this call has ended, or none begins any more; rejects when that pass failed. */
  request(): Promise<void> {
    if (this.#running === undefined && this.#next === undefined) return this.#begin();
    this.#next ??= this.#beginAfter(this.#running);
    return this.#next;
  }

  /** No pass begins any more. */
  close(): void {
    this.#isClosed = true;
  }

  async #begin(): Promise<void> {
    if (this.#isClosed) return;
    this.#running = this.#run();
    try {
      await this.#running;
    } finally {
      this.#running = undefined;
    }
  }

  /** Begins once the running pass has ended; a failure of that is reported to its own callers. */
  async #beginAfter(running: Promise<void> | undefined): Promise<void> {
    await Promise.allSettled([running]);
    this.#next = undefined;
    await this.#begin();
  }
}
