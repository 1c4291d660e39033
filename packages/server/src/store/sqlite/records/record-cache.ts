import { BoundedCache } from '../../../base/index.ts';
import type { ResourceKey, SessionRow, StoredResource } from '../../contracts/index.ts';
import { CommittedCache } from './committed-cache.ts';

/** Most entries kept of each sort. */
const ENTRIES = 10_000;
/** Most characters of text in the records kept: one record may hold a mebibyte (`limits.resourceBytes`). */
const RECORD_CHARS = 32 * 1024 * 1024;
/** Most characters of text in the session rows kept. */
const SESSION_CHARS = 16 * 1024 * 1024;
/** About what a record or a row takes in addition to its texts. */
const RECORD_OVERHEAD = 500;

const charsOf = (record: StoredResource): number => {
  let chars = RECORD_OVERHEAD + record.spec.length + record.status.length;
  for (const key in record.annotations) chars += key.length + (record.annotations[key]?.length ?? 0);
  return chars;
};

const textOf = (key: ResourceKey): string => `${key.kind}\n${key.namespace}\n${key.parent}\n${key.name}`;

const charsOfSession = (row: SessionRow): number => {
  let chars = RECORD_OVERHEAD + row.body.length;
  for (const key in row.labels) chars += key.length + (row.labels[key]?.length ?? 0);
  return chars;
};

/** What one process keeps of its store between reads: records, session rows and activity, each as last committed. */
export class RecordCache {
  readonly #records = new CommittedCache<StoredResource>(ENTRIES, { limit: RECORD_CHARS, of: charsOf });
  /** Rows of sessions by id. */
  readonly sessions = new CommittedCache<SessionRow>(ENTRIES, { limit: SESSION_CHARS, of: charsOfSession });

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
    return this.#records.committed(textOf(key));
  }

  /** For the writing connection, which sees the group under way. */
  newest(key: ResourceKey): StoredResource | undefined {
    return this.#records.newest(textOf(key));
  }

  /** Keeps what SQL answered for a key that no unfinished group has written. */
  offer(record: StoredResource): void {
    this.#records.offer(textOf(record.key), record);
  }

  /** The group under way wrote this key; `record` is its state now, undefined when it is gone or not known here. */
  wrote(key: ResourceKey, record: StoredResource | undefined): void {
    this.#records.wrote(textOf(key), record);
  }

  /** Something was rolled back: which writes are left, only SQL knows. */
  doubt(): void {
    this.#records.doubt();
    this.sessions.doubt();
  }

  /** The group was committed or rolled back. */
  settle(): void {
    this.#records.settle();
    this.sessions.settle();
    if (this.#activityWritten.size > 0) this.#activityWritten.clear();
  }
}

/** The records that a connection reads from. */
export interface KeptRecords {
  readonly cache: RecordCache;
  /** The connection sees the group that is being written; otherwise exactly what is committed. */
  readonly isWriter: boolean;
}
