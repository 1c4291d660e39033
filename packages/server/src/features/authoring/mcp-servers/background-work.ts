/** Requests to other servers that queue items begin and the queue does not wait for: a slow server would hold up all other items. */
export class BackgroundWork {
  readonly #max: number;
  readonly #failed: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();

  constructor({ max, failed }: { readonly max: number; readonly failed: (error: unknown) => void }) {
    this.#max = max;
    this.#failed = failed;
  }

  /** Begins the work, unless work of that key is under way. False, and nothing begins, while `max` are under way. */
  start(key: string, work: () => Promise<void>): boolean {
    if (this.#running.size >= this.#max) return false;
    if (this.#running.has(key)) return true;
    const running = work()
      .catch(this.#failed)
      .finally(() => this.#running.delete(key));
    this.#running.set(key, running);
    return true;
  }

  /** Resolves once nothing is under way. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }
}
