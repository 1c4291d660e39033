/** The total weight of the entries of a cache, for values of very different sizes; any unit. The weight of a value never changes. */
export interface CacheWeight<V> {
  readonly limit: number;
  readonly of: (value: V) => number;
}

const WEIGHTLESS: CacheWeight<unknown> = { limit: 0, of: () => 0 };

interface Entry<K, V> {
  readonly key: K;
  value: V;
  older: Entry<K, V> | undefined;
  newer: Entry<K, V> | undefined;
}

/**
 * A map that drops the least recently used entry once it holds `limit` entries, or more than their `weight` allows. Ages are in
 * a separate list: a Map keeps the slots of removed entries for a while and would walk over all of them to reach its oldest one.
 */
export class BoundedCache<K, V> {
  readonly #entries = new Map<K, Entry<K, V>>();
  readonly #limit: number;
  readonly #weight: CacheWeight<V>;
  #total = 0;
  #oldest: Entry<K, V> | undefined;
  #newest: Entry<K, V> | undefined;

  constructor(limit: number, weight: CacheWeight<V> = WEIGHTLESS) {
    this.#limit = limit;
    this.#weight = weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry, which becomes the most recently used one. */
  get(key: K): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#renew(entry);
    return entry.value;
  }

  set(key: K, value: V): void {
    const known = this.#entries.get(key);
    if (known !== undefined) {
      this.#total -= this.#weight.of(known.value);
      known.value = value;
      this.#renew(known);
    } else {
      if (this.#entries.size >= this.#limit) this.#forgetOldest();
      const entry = { key, value, older: undefined, newer: undefined };
      this.#entries.set(key, entry);
      this.#append(entry);
    }
    this.#total += this.#weight.of(value);
    while (this.#total > this.#weight.limit) this.#forgetOldest();
  }

  delete(key: K): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#total -= this.#weight.of(entry.value);
  }

  #forgetOldest(): void {
    if (this.#oldest !== undefined) this.delete(this.#oldest.key);
  }

  #renew(entry: Entry<K, V>): void {
    if (entry === this.#newest) return;
    this.#unlink(entry);
    this.#append(entry);
  }

  #append(entry: Entry<K, V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink(entry: Entry<K, V>): void {
    const { older, newer } = entry;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
