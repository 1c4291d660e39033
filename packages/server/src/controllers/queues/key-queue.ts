import { type BackoffRule, backoffMs, type CancelTimer, type Clock, type Random } from '../../base/index.ts';

const BACKOFF: BackoffRule = { firstMs: 200, factor: 2, capMs: 60_000, jitter: 0.2 };

interface Waiting<T> {
  readonly value: T;
  /** Monotonic milliseconds. */
  readonly dueMs: number;
  readonly cancel: CancelTimer;
}

/**
 * Keys that need a pass, each at most once. A key that comes again while it is worked on waits for the end of its pass;
 * failed keys come back with growing waits.
 */
export class KeyQueue<T> {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #notify: () => void;
  readonly #ready = new Map<string, T>();
  readonly #active = new Set<string>();
  readonly #again = new Map<string, T>();
  readonly #waiting = new Map<string, Waiting<T>>();
  readonly #failures = new Map<string, number>();

  constructor(parts: { readonly clock: Clock; readonly random: Random; readonly notify: () => void }) {
    this.#clock = parts.clock;
    this.#random = parts.random;
    this.#notify = parts.notify;
  }

  /** True when `take` would answer a key. */
  get hasReady(): boolean {
    return this.#ready.size > 0;
  }

  get size(): number {
    return this.#ready.size + this.#waiting.size + this.#active.size;
  }

  add(id: string, value: T): void {
    this.#unwait(id);
    if (this.#active.has(id)) this.#again.set(id, value);
    else {
      this.#ready.set(id, value);
      this.#notify();
    }
  }

  addAfter(id: string, value: T, delayMs: number): void {
    if (this.#ready.has(id) || this.#again.has(id)) return;
    this.#unwait(id);
    const cancel = this.#clock.after(delayMs, () => {
      this.#waiting.delete(id);
      this.add(id, value);
    });
    this.#waiting.set(id, { value, cancel, dueMs: this.#clock.monotonicMs() + delayMs });
  }

  /** As `addAfter`, but a wait that ends sooner stays: keys that keep coming are not put off without end. */
  addWithin(id: string, value: T, delayMs: number): void {
    const waiting = this.#waiting.get(id);
    if (waiting !== undefined && waiting.dueMs <= this.#clock.monotonicMs() + delayMs) return;
    this.addAfter(id, value, delayMs);
  }

  /** The next key to work on; `done`, `retry` or `failed` must follow. */
  take(): { readonly id: string; readonly value: T } | undefined {
    const next = this.#ready.entries().next();
    if (next.done === true) return undefined;
    const [id, value] = next.value;
    this.#ready.delete(id);
    this.#active.add(id);
    return { id, value };
  }

  done(id: string): void {
    this.#failures.delete(id);
    this.#release(id);
  }

  retry(id: string, value: T, delayMs: number): void {
    this.#failures.delete(id);
    this.#release(id);
    this.addWithin(id, value, delayMs);
  }

  failed(id: string, value: T): void {
    const failures = (this.#failures.get(id) ?? 0) + 1;
    this.#failures.set(id, failures);
    this.#release(id);
    this.addWithin(id, value, backoffMs(BACKOFF, failures, this.#random));
  }

  clear(): void {
    for (const { cancel } of this.#waiting.values()) cancel();
    this.#waiting.clear();
    this.#ready.clear();
    this.#again.clear();
  }

  #release(id: string): void {
    this.#active.delete(id);
    const value = this.#again.get(id);
    if (value === undefined) return;
    this.#again.delete(id);
    this.#ready.set(id, value);
    this.#notify();
  }

  #unwait(id: string): void {
    this.#waiting.get(id)?.cancel();
    this.#waiting.delete(id);
  }
}
