import type { ResourceKey, StoredResource } from '../../contracts/index.ts';

/** Most records kept; the oldest go first. */
const ENTRIES = 20_000;

const textOf = (key: ResourceKey): string => `${key.kind}\n${key.namespace}\n${key.parent}\n${key.name}`;

/**
 * Records as last committed, shared by the writing connection and the direct reads of one process: nobody else writes the
 * file (lock.db), so an entry stays true until this process writes its key. A key written by the group under way is left
 * to SQL until the group is over, whatever its outcome; missing records are never kept.
 */
export class RecordCache {
  readonly #records = new Map<string, StoredResource>();
  readonly #written = new Set<string>();

  get(key: ResourceKey): StoredResource | undefined {
    return this.#records.get(textOf(key));
  }

  /** Keeps what SQL answered for a key that no unfinished group has written. */
  offer(record: StoredResource): void {
    const text = textOf(record.key);
    if (this.#written.has(text)) return;
    if (this.#records.size >= ENTRIES) {
      for (const oldest of this.#records.keys()) {
        this.#records.delete(oldest);
        break;
      }
    }
    this.#records.set(text, record);
  }

  /** The group under way writes this key. */
  touch(key: ResourceKey): void {
    const text = textOf(key);
    this.#records.delete(text);
    this.#written.add(text);
  }

  /** The group was committed or rolled back. */
  settle(): void {
    if (this.#written.size > 0) this.#written.clear();
  }
}
