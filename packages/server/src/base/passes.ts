/**
 * Runs one pass over what there is at a time. Wishes that come while a pass runs share one more pass behind it, so that
 * whoever wished knows that everything it saw was looked at.
 */
export class Passes {
  readonly #run: () => Promise<void>;
  #running: Promise<void> | undefined;
  #wanted = false;
  #isClosed = false;

  constructor(run: () => Promise<void>) {
    this.#run = run;
  }

  /** True after `close`; a pass that runs looks at it between two steps. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when a pass that began after this call has ended; rejects when that pass failed. */
  async wish(): Promise<void> {
    this.#wanted = true;
    // A wish that comes while the last pass ends is seen here.
    while (this.#wanted && !this.#isClosed) {
      this.#running ??= this.#drain().finally(() => {
        this.#running = undefined;
      });
      await this.#running;
    }
  }

  /** No pass begins any more. */
  close(): void {
    this.#isClosed = true;
  }

  async #drain(): Promise<void> {
    while (this.#wanted && !this.#isClosed) {
      this.#wanted = false;
      await this.#run();
    }
  }
}
