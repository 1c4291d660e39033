import { BoundedCache } from '../../../base/index.ts';
import type { ResourceKey, StoredResource } from '../../contracts/index.ts';

/** Most entries kept of each sort. */
const ENTRIES = 10_000;
/** Most characters of text in the records kept: one record may hold a mebibyte (`limits.resourceBytes`). */
const RECORD_CHARS = 32 * 1024 * 1024;
/** About what a record takes beside its texts. */
const RECORD_OVERHEAD = 500;

const charsOf = (record: StoredResource): number => {
  let chars = RECORD_OVERHEAD + record.spec.length + record.status.length;
  for (const key in record.annotations) chars += key.length + (record.annotations[key]?.length ?? 0);
  return chars;
};

const textOf = (key: ResourceKey): string => `${key.kind}\n${key.namespace}\n${key.parent}\n${key.name}`;

/**
 * Records as last committed, shared by the writing connection and the direct reads of one process: nobody else writes the
 * file (lock.db), so an entry stays true until this process writes its key. What the group under way wrote is kept apart
 * and shown to the writing connection only; after a rollback it is left to SQL. Missing records are never kept.
 */
export class RecordCache {
  readonly #committed = new BoundedCache<string, StoredResource>(ENTRIES, { limit: RECORD_CHARS, of: charsOf });
  /** Keys written by the group under way; undefined = ask SQL. */
  readonly #written = new Map<string, StoredResource | undefined>();

  /** Activity by uid as last committed; null = there is none. */
  readonly #activity = new BoundedCache<string, string | null>(ENTRIES);
  readonly #activityWritten = new Set<string>();

  /** Undefined = ask SQL. */
  activity(uid: string): string | null | undefined {
    return this.#activity.get(uid);
  }

  /** Keeps what SQL answered for a uid whose activity no unfinished group has written. */
  offerActivity(uid: string, body: string | null): void {
    if (this.#activityWritten.has(uid)) return;
    this.#activity.set(uid, body);
  }

  /** The group under way wrote or removed this activity: left to SQL until the group is over. */
  wroteActivity(uid: string): void {
    this.#activity.delete(uid);
    this.#activityWritten.add(uid);
  }

  /** For readers that see only what is committed. */
  committed(key: ResourceKey): StoredResource | undefined {
    return this.#committed.get(textOf(key));
  }

  /** For the writing connection, which sees the group under way. */
  newest(key: ResourceKey): StoredResource | undefined {
    const text = textOf(key);
    return this.#written.size > 0 && this.#written.has(text) ? this.#written.get(text) : this.#committed.get(text);
  }

  /** Keeps what SQL answered for a key that no unfinished group has written. */
  offer(record: StoredResource): void {
    const text = textOf(record.key);
    if (this.#written.has(text)) return;
    this.#committed.set(text, record);
  }

  /** The group under way wrote this key; `record` is its state now, undefined when it is gone or not known here. */
  wrote(key: ResourceKey, record: StoredResource | undefined): void {
    const text = textOf(key);
    this.#committed.delete(text);
    this.#written.set(text, record);
  }

  /** Something was rolled back: which writes are left, only SQL knows. */
  doubt(): void {
    for (const text of this.#written.keys()) this.#written.set(text, undefined);
  }

  /** The group was committed or rolled back. */
  settle(): void {
    if (this.#written.size > 0) this.#written.clear();
    if (this.#activityWritten.size > 0) this.#activityWritten.clear();
  }
}
