/** What entries of a cache may weigh together, where their sizes differ by far; any unit. The weight of a value never changes. */
export interface CacheWeight<V> {
  readonly limit: number;
  readonly of: (value: V) => number;
}

const WEIGHTLESS: CacheWeight<unknown> = { limit: 0, of: () => 0 };

/** A map that forgets what was used least recently once it holds `limit` entries, or more than their `weight` allows. */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #limit: number;
  readonly #weight: CacheWeight<V>;
  #total = 0;

  constructor(limit: number, weight: CacheWeight<V> = WEIGHTLESS) {
    this.#limit = limit;
    this.#weight = weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry, which thereby becomes the newest. */
  get(key: K): V | undefined {
    const value = this.#entries.get(key);
    if (value === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    if (this.#entries.size >= this.#limit) this.#forgetOldest();
    this.#entries.set(key, value);
    this.#total += this.#weight.of(value);
    while (this.#total > this.#weight.limit) this.#forgetOldest();
  }

  delete(key: K): void {
    const value = this.#entries.get(key);
    if (this.#entries.delete(key)) this.#total -= this.#weight.of(value as V);
  }

  #forgetOldest(): void {
    for (const oldest of this.#entries.keys()) return this.delete(oldest);
  }
}
