import { storageFault } from '../connection/index.ts';

/** Writes of a kind waiting at most; more are refused, so that a database that hangs does not fill the memory. */
const MAX_WAITING = 100_000;

/**
 * Lets a number of writes run at once and the others wait in their order. An urgent one goes before those that wait, and one
 * more may run for it: the renewal of claims must not stand behind the writes of a burst.
 */
export class WriteGate {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  readonly #urgent: (() => void)[] = [];
  readonly #idle: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  async enter(isUrgent = false): Promise<void> {
    if (this.#running < this.#limit + (isUrgent ? 1 : 0)) {
      this.#running++;
      return;
    }
    const queue = isUrgent ? this.#urgent : this.#waiting;
    if (queue.length >= MAX_WAITING) throw storageFault('too many writes are waiting');
    await new Promise<void>((resolve) => queue.push(resolve));
  }

  /** The place goes to the urgent one, then to the other one, that waits longest; the one more to urgent ones only. */
  leave(): void {
    const next = this.#urgent.shift() ?? (this.#running <= this.#limit ? this.#waiting.shift() : undefined);
    if (next !== undefined) return next();
    this.#running--;
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  async idle(): Promise<void> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }
}
