import { storageFault } from '../connection/index.ts';

/** Writes of a kind waiting at most; more are refused, so that a database that hangs does not fill the memory. */
const MAX_WAITING = 100_000;
/** As long as a call may take: while a database is away each write that runs takes seconds to find out. */
const MAX_WAIT_MS = 60_000;

interface Waiting {
  readonly sinceMs: number;
  readonly enter: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Lets a number of writes run at once and the others wait in their order, a minute at most. An urgent one goes before those
 * that wait, and one more may run for it: the renewal of claims must not wait behind the writes of a burst.
 */
export class WriteGate {
  readonly #limit: number;
  readonly #monotonicMs: () => number;
  readonly #waiting: Waiting[] = [];
  readonly #urgent: Waiting[] = [];
  readonly #idle: (() => void)[] = [];
  #running = 0;

  /** `monotonicMs`: a clock that never steps back. */
  constructor(limit: number, monotonicMs: () => number) {
    this.#limit = limit;
    this.#monotonicMs = monotonicMs;
  }

  async enter(isUrgent = false): Promise<void> {
    if (this.#running < this.#limit + (isUrgent ? 1 : 0)) {
      this.#running++;
      return;
    }
    const queue = isUrgent ? this.#urgent : this.#waiting;
    if (queue.length >= MAX_WAITING) throw storageFault('too many writes are waiting');
    await new Promise<void>((enter, refuse) => queue.push({ sinceMs: this.#monotonicMs(), enter, refuse }));
  }

  /** The place goes to the urgent one, then to the other one, that waits longest; the one more to urgent ones only. */
  leave(): void {
    for (const queue of [this.#urgent, this.#waiting]) this.#refuseLate(queue);
    const next = this.#urgent.shift() ?? (this.#running <= this.#limit ? this.#waiting.shift() : undefined);
    if (next !== undefined) return next.enter();
    this.#running--;
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #refuseLate(queue: Waiting[]): void {
    const sinceMs = this.#monotonicMs() - MAX_WAIT_MS;
    const inTime = queue.findIndex((waiting) => waiting.sinceMs >= sinceMs);
    // All at once: taking the first of a long list moves all the others.
    for (const { refuse } of queue.splice(0, inTime === -1 ? queue.length : inTime))
      refuse(storageFault('the write waited too long for others'));
  }

  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
