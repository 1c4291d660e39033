/** Messages remembered for `!error CLASS N` and `!break N`. */
const MAX_COUNTED = 10_000;
/** Names that `releaseHold` remembers. */
const MAX_RELEASED = 10_000;

/** The little state the demo provider keeps, per process: request counts (for `!error` and `!break`) and holds. */
export class DemoMemory {
  readonly #counts = new Map<string, number>();
  readonly #released = new Set<string>();
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Counts one more request of a message at one directive; returns its number, from 1. */
  count(key: string): number {
    const number = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.delete(key);
    this.#counts.set(key, number);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > MAX_COUNTED && oldest !== undefined) this.#counts.delete(oldest);
    return number;
  }

  /** Calls `goOn` when the name is released, at once when it was. The returned function stops waiting. */
  hold(name: string, goOn: () => void): () => void {
    if (this.#released.has(name)) {
      goOn();
      return () => undefined;
    }
    const waiting = this.#waiting.get(name) ?? new Set();
    this.#waiting.set(name, waiting);
    waiting.add(goOn);
    return () => {
      waiting.delete(goOn);
      if (waiting.size === 0 && this.#waiting.get(name) === waiting) this.#waiting.delete(name);
    };
  }

  release(name: string): void {
    const [oldest] = this.#released;
    if (this.#released.size >= MAX_RELEASED && oldest !== undefined) this.#released.delete(oldest);
    this.#released.add(name);
    const waiting = this.#waiting.get(name);
    this.#waiting.delete(name);
    for (const goOn of waiting ?? []) goOn();
  }
}
