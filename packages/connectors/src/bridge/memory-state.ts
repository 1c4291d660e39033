import type { Lock, QueueEntry, StateAdapter } from 'chat';

/** Caches of names and the like; what is older than the newest of these is looked up again by the adapter. */
const MAX_ENTRIES = 20_000;

interface Entry {
  readonly value: unknown;
  /** Milliseconds of the clock; undefined for as long as there is room. */
  readonly expiresAt: number | undefined;
}

/**
 * What adapters keep between requests, in memory only: nothing here decides whether a message is taken. Queues, locks and
 * subscriptions belong to the core of the Chat SDK, which is not used, and are refused.
 */
export class MemoryState implements StateAdapter {
  readonly #entries = new Map<string, Entry>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  async connect(): Promise<void> {
    // There is nothing to connect to.
  }

  async disconnect(): Promise<void> {
    this.#entries.clear();
  }

  async get<T = unknown>(key: string): Promise<T | null> {
    return (this.#live(key)?.value ?? null) as T | null;
  }

  async set<T = unknown>(key: string, value: T, ttlMs?: number): Promise<void> {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: ttlMs === undefined ? undefined : this.#now() + ttlMs });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest);
  }

  /**
   * Always true: adapters ask this to drop copies of a webhook, and would drop the one that counts when the first was not taken. svc
   * recognises copies.
   */
  async setIfNotExists(key: string, value: unknown, ttlMs?: number): Promise<boolean> {
    if (this.#live(key) === undefined) await this.set(key, value, ttlMs);
    return true;
  }

  async delete(key: string): Promise<void> {
    this.#entries.delete(key);
  }

  async appendToList(
    key: string,
    value: unknown,
    options: { readonly maxLength?: number; readonly ttlMs?: number } = {},
  ): Promise<void> {
    const list = [...(await this.getList(key)), value].slice(-(options.maxLength ?? MAX_ENTRIES));
    await this.set(key, list, options.ttlMs);
  }

  async getList<T = unknown>(key: string): Promise<T[]> {
    return ((await this.get<T[]>(key)) ?? []) as T[];
  }

  async isSubscribed(): Promise<boolean> {
    return false;
  }

  async subscribe(): Promise<void> {
    throw notOffered('subscriptions');
  }

  async unsubscribe(): Promise<void> {
    throw notOffered('subscriptions');
  }

  async acquireLock(): Promise<Lock | null> {
    throw notOffered('locks');
  }

  async extendLock(): Promise<boolean> {
    throw notOffered('locks');
  }

  async forceReleaseLock(): Promise<void> {
    throw notOffered('locks');
  }

  async releaseLock(): Promise<void> {
    throw notOffered('locks');
  }

  async enqueue(): Promise<number> {
    throw notOffered('queues');
  }

  async dequeue(): Promise<QueueEntry | null> {
    throw notOffered('queues');
  }

  async queueDepth(): Promise<number> {
    throw notOffered('queues');
  }

  #live(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    const hasExpired = entry?.expiresAt !== undefined && entry.expiresAt <= this.#now();
    return hasExpired ? undefined : entry;
  }
}

const notOffered = (what: string): Error => new Error(`a connector has no ${what}: svc orders and keeps the messages`);
