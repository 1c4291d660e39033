type Waiter = { grant: () => void; isGone: boolean };

/**
 * Requests in flight of one provider (`maxConcurrency`); more wait in order of arrival. The queue is bounded by the
 * worker's own turn concurrency, since every turn has at most one model call.
 */
export class Slots {
  readonly #limit: number;
  #used = 0;
  readonly #waiting: Waiter[] = [];

  constructor(limit: number | undefined) {
    this.#limit = limit === undefined || limit <= 0 ? Number.POSITIVE_INFINITY : limit;
  }

  /** Takes a free slot at once; false means `wait` is needed. */
  tryTake(): boolean {
    if (this.#used >= this.#limit) return false;
    this.#used += 1;
    return true;
  }

  /** Calls `granted` when a slot is ours. The returned function gives up waiting; it does nothing once granted. */
  wait(granted: () => void): () => void {
    const waiter: Waiter = { grant: granted, isGone: false };
    this.#waiting.push(waiter);
    return () => {
      waiter.isGone = true;
    };
  }

  release(): void {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.isGone) {
        next.grant();
        return;
      }
    }
    this.#used -= 1;
  }
}
