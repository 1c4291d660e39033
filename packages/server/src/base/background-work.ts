/**
 * Work that items of the queue begin and the queue does not wait for: a slow server would hold up all other items. The items stay queued
 * until the work has removed them, so another process makes what this one had no time for.
 */
export class BackgroundWork {
  readonly #max: number;
  readonly #failed: (error: unknown, key: string) => void;
  readonly #running = new Map<string, { readonly control: AbortController; readonly done: Promise<void> }>();
  #isClosed = false;

  /** At most `max` at a time; `failed` gets what the work of a key throws. */
  constructor({ max, failed }: { readonly max: number; readonly failed: (error: unknown, key: string) => void }) {
    this.#max = max;
    this.#failed = failed;
  }

  /** True once no work begins any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True while nothing can begin: it is closed, or `max` are under way. */
  get isFull(): boolean {
    return this.#isClosed || this.#running.size >= this.#max;
  }

  /** Whether work of that key is under way. */
  has(key: string): boolean {
    return this.#running.has(key);
  }

  /** Begins the work, unless work of that key is under way. False, and nothing begins, while it is full. */
  start(key: string, work: (control: AbortController) => Promise<void>): boolean {
    if (this.has(key)) return true;
    if (this.isFull) return false;
    const control = new AbortController();
    const done = work(control)
      .catch((error: unknown) => this.#failed(error, key))
      .finally(() => this.#running.delete(key));
    this.#running.set(key, { control, done });
    return true;
  }

  /** Asks the work of that key to end. */
  end(key: string): void {
    this.#running.get(key)?.control.abort();
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Begins nothing more, asks all that is under way to end, and waits until it has. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { control } of this.#running.values()) control.abort(new Error('the process ends'));
    await this.settled();
  }
}
