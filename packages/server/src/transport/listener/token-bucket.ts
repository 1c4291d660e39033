/** What may happen at once, and how much of it comes back in a second. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Counts events against a rate. Times are of one monotonic clock, in milliseconds. */
export class TokenBucket {
  readonly #rate: Rate;
  #left: number;
  #filledMs: number;

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate;
    this.#left = rate.burst;
    this.#filledMs = nowMs;
  }

  /** How many of the burst are used and have not come back yet; more than the burst when that is exceeded. */
  used(nowMs: number): number {
    const { burst, perSecond } = this.#rate;
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#filledMs) * perSecond) / 1000);
    this.#filledMs = nowMs;
    return burst - this.#left;
  }

  /** Counts one event; false when the rate is exceeded. */
  take(nowMs: number): boolean {
    this.used(nowMs);
    // The debt is bounded, so that a flood is forgiven a second after its end.
    if (this.#left > -this.#rate.perSecond) this.#left -= 1;
    return this.#left >= 0;
  }

  /** Takes back events that were counted and turned out well. */
  giveBack(count: number): void {
    this.#left = Math.min(this.#rate.burst, this.#left + count);
  }
}
