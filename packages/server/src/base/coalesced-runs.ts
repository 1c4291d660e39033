/**
 * Runs a function once at a time. Requests that arrive during a run share the next one, so that
 * each caller knows that everything it saw has been handled.
 */
export class CoalescedRuns {
  readonly #run: () => Promise<void>;
  #running: Promise<void> | undefined;
  /** Requests that arrive during a run wait for this one. */
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** True after `close`; a run under way checks it between two steps. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when a run that began after this call has ended, or when no run will begin any more; rejects when that run failed. */
  request(): Promise<void> {
    if (this.#running === undefined && this.#next === undefined) return this.#begin();
    this.#next ??= this.#beginAfter(this.#running);
    return this.#next;
  }

  /** After this, no run begins. */
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

  /** Begins after the run under way; if that one fails, its own callers get the error. */
  async #beginAfter(running: Promise<void> | undefined): Promise<void> {
    await Promise.allSettled([running]);
    this.#next = undefined;
    await this.#begin();
  }
}
