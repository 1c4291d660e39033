import type { ClientClock } from '../environment.ts';

/** Time that passes by itself as soon as anything waits for it, so that retries take no real time. */
export class EagerClock implements ClientClock {
  #nowMs = 0;
  /** Waits of at least this many milliseconds are deadlines, which only `advance` fires. */
  readonly #deadlineMs: number;
  readonly #deadlines = new Set<{ atMs: number; fire: () => void }>();
  readonly waits: number[] = [];

  constructor(deadlineMs = 40_000) {
    this.#deadlineMs = deadlineMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, fire: () => void): () => void {
    if (delayMs >= this.#deadlineMs) {
      const deadline = { atMs: this.#nowMs + delayMs, fire };
      this.#deadlines.add(deadline);
      return () => this.#deadlines.delete(deadline);
    }
    this.waits.push(delayMs);
    let isCancelled = false;
    setImmediate(() => {
      if (isCancelled) return;
      this.#nowMs += delayMs;
      fire();
    });
    return () => {
      isCancelled = true;
    };
  }

  /** Moves time on and fires the deadlines that become due. */
  advance(ms: number): void {
    this.#nowMs += ms;
    for (const deadline of [...this.#deadlines]) {
      if (deadline.atMs > this.#nowMs) continue;
      this.#deadlines.delete(deadline);
      deadline.fire();
    }
  }

  get pendingDeadlines(): number {
    return this.#deadlines.size;
  }
}
