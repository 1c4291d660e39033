import { Fault } from '../../../base/index.ts';
import { type Queries, statement } from '../connection/index.ts';

/** A row that a transaction function read: a resource by its version, a small value by itself. */
export interface RowRead {
  readonly table: 'resources' | 'instance';
  /** Columns of the key, in the order of the table's index. */
  readonly key: readonly string[];
  /** Version or value; undefined = there was no such row. */
  readonly seen: number | string | undefined;
}

/** A list that a transaction function read, as [key, version] of its rows. */
export interface RangeRead {
  readonly limit: number;
  readonly found: readonly RangeEntry[];
  /** Reads it again, with room for this many more rows. */
  again(more: number): Promise<readonly RangeEntry[]>;
}

export interface RangeEntry {
  readonly id: string;
  readonly version: number;
}

export const rowId = (table: RowRead['table'], key: readonly string[]): string => JSON.stringify([table, ...key]);

/** Held until the end by a transaction whose reads include rows that are not there, or lists. */
const LOCK_RANGES = statement(`SELECT pg_advisory_xact_lock(hashtextextended('svc ranges', 0))`);
const CHECK_RESOURCES = statement<{ kind: string; namespace: string; parent: string; name: string; version: number }>(
  `SELECT r.kind, r.namespace, r.parent, r.name, r.version FROM resources r
   JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS k (kind, namespace, parent, name)
     ON r.kind = k.kind AND r.namespace = k.namespace AND r.parent = k.parent AND r.name = k.name
   FOR SHARE OF r NOWAIT`,
);
const CHECK_VALUES = statement<{ name: string; value: string }>(
  'SELECT name, value FROM instance WHERE name = ANY($1::text[]) FOR SHARE NOWAIT',
);

/**
 * What one run of a transaction function read without holding it. Before the commit every read is looked at again, with the
 * rows locked against writers: when one is stale the function runs again, so that transactions come out as if they had run
 * one after the other (S4) though PostgreSQL runs them side by side at READ COMMITTED. Rows that the function wrote are not
 * looked at again: the write itself is refused when the row is not the one that was read.
 */
export class ReadSet {
  readonly #rows = new Map<string, RowRead>();
  readonly #ranges: RangeRead[] = [];
  #written = new Set<string>();
  /** Activity by uid as it was read, or written since; undefined = there was none. */
  #activity = new Map<string, string | undefined>();
  /** Rows found stale, to be read with a lock the next time. */
  readonly #hot: Set<string>;
  #isStale = false;

  constructor(hot: Set<string>) {
    this.#hot = hot;
  }

  /** True once a read is known to be stale, whatever the function did about it. */
  get isStale(): boolean {
    return this.#isStale;
  }

  /** True for a row that made an earlier run fail: it is read with a lock. */
  isHot(id: string): boolean {
    return this.#hot.has(id);
  }

  sawRow(read: RowRead): void {
    const id = rowId(read.table, read.key);
    if (!this.#written.has(id) && !this.#rows.has(id)) this.#rows.set(id, read);
  }

  sawRange(read: RangeRead): void {
    this.#ranges.push(read);
  }

  /** What was read of the row before the function wrote it; undefined = it was not read. */
  readOf(id: string): RowRead | undefined {
    return this.#written.has(id) ? undefined : this.#rows.get(id);
  }

  wrote(id: string): void {
    this.#written.add(id);
  }

  sawActivity(uid: string, body: string | undefined): void {
    this.#activity.set(uid, body);
  }

  /** What the function knows of the activity; undefined = it has not read it. */
  activityOf(uid: string): { readonly body: string | undefined } | undefined {
    return this.#activity.has(uid) ? { body: this.#activity.get(uid) } : undefined;
  }

  /** State to go back to when a savepoint is undone. */
  mark(): () => void {
    const [written, activity] = [new Set(this.#written), new Map(this.#activity)];
    return () => {
      this.#written = written;
      this.#activity = activity;
    };
  }

  /** Marks the run as one to repeat; the Fault to end it with. */
  stale(id: string): Fault {
    this.#isStale = true;
    this.#hot.add(id);
    return new Fault('UNAVAILABLE', 'STORAGE', 'another transaction changed what this one had read');
  }

  /** True when everything that was read is still so; holds it so until the transaction ends. */
  async holds(sql: Queries): Promise<boolean> {
    if (this.#isStale) return false;
    const rows = [...this.#rows].filter(([id]) => !this.#written.has(id)).map(([, read]) => read);
    if (this.#ranges.length > 0 || rows.some((read) => read.seen === undefined)) await sql.rows(LOCK_RANGES);
    const resources = rows.filter((read) => read.table === 'resources');
    const values = rows.filter((read) => read.table === 'instance');
    const current = await Promise.all([resourcesNow(sql, resources), valuesNow(sql, values)]);
    for (const read of rows) {
      const id = rowId(read.table, read.key);
      const now = current[read.table === 'resources' ? 0 : 1].get(id);
      if (now !== read.seen) this.stale(id);
    }
    for (const range of this.#ranges) if (!(await this.#rangeHolds(range))) this.#isStale = true;
    return !this.#isStale;
  }

  async #rangeHolds({ limit, found, again }: RangeRead): Promise<boolean> {
    const isOthers = (entry: RangeEntry): boolean => !this.#written.has(entry.id);
    const before = found.filter(isOthers);
    const after = (await again(this.#written.size)).filter(isOthers);
    const isWhole = found.length < limit;
    if (isWhole ? after.length !== before.length : after.length < before.length) return false;
    return before.every(({ id, version }, index) => after[index]?.id === id && after[index]?.version === version);
  }
}

const resourcesNow = async (sql: Queries, reads: readonly RowRead[]): Promise<ReadonlyMap<string, number>> => {
  if (reads.length === 0) return new Map();
  const columns = [0, 1, 2, 3].map((column) => reads.map((read) => read.key[column] ?? ''));
  const rows = await sql.rows(CHECK_RESOURCES, columns);
  return new Map(
    rows.map(({ kind, namespace, parent, name, version }) => [
      rowId('resources', [kind, namespace, parent, name]),
      version,
    ]),
  );
};

const valuesNow = async (sql: Queries, reads: readonly RowRead[]): Promise<ReadonlyMap<string, string>> => {
  if (reads.length === 0) return new Map();
  const rows = await sql.rows(CHECK_VALUES, [reads.map((read) => read.key[0] ?? '')]);
  return new Map(rows.map(({ name, value }) => [rowId('instance', [name]), value]));
};
