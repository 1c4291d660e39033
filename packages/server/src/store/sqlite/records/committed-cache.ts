import { BoundedCache, type CacheWeight } from '../../../base/index.ts';

/**
 * Values as last committed, shared by the writing connection and the direct reads of one process: no one else writes the
 * file (lock.db), so an entry stays true until this process writes its key. What the group under way wrote is kept apart
 * and shown to the writing connection only; after a rollback it is left to SQL. Missing values are never kept.
 */
export class CommittedCache<V> {
  readonly #committed: BoundedCache<string, V>;
  /** Keys written by the group under way; undefined = ask SQL. */
  readonly #written = new Map<string, V | undefined>();

  constructor(entries: number, weight: CacheWeight<V>) {
    this.#committed = new BoundedCache(entries, weight);
  }

  /** For readers that see only what is committed; undefined = ask SQL. */
  committed(key: string): V | undefined {
    return this.#committed.get(key);
  }

  /** For the writing connection, which sees the group under way; undefined = ask SQL. */
  newest(key: string): V | undefined {
    return this.#written.size > 0 && this.#written.has(key) ? this.#written.get(key) : this.#committed.get(key);
  }

  /** Keeps what SQL answered for a key that no unfinished group has written. */
  offer(key: string, value: V): void {
    if (!this.#written.has(key)) this.#committed.set(key, value);
  }

  /** The group under way wrote this key; `value` is its state now, undefined when it is gone or not known here. */
  wrote(key: string, value: V | undefined): void {
    this.#committed.delete(key);
    this.#written.set(key, value);
  }

  /** Something was rolled back: which writes are left, only SQL knows. */
  doubt(): void {
    for (const key of this.#written.keys()) this.#written.set(key, undefined);
  }

  /** The group was committed or rolled back. */
  settle(): void {
    if (this.#written.size > 0) this.#written.clear();
  }
}
