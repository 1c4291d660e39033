import { Fault } from '../../../base/index.ts';
import type { StoredResource } from '../../contracts/index.ts';
import { type Queries, statement, type WriteQueries } from '../connection/index.ts';
import type { KnownRows } from './known-rows.ts';

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

/** Names a row of any table within a read set. */
export const rowId = (table: RowRead['table'], key: readonly string[]): string => JSON.stringify([table, ...key]);

/** Held until the end by a transaction whose reads include rows that are not there, or lists. */
const LOCK_RANGES = statement(`SELECT pg_advisory_xact_lock(hashtextextended('svc ranges', 0))`);
const KEYS = 'unnest($1::text[], $2::text[], $3::text[], $4::text[]';
const OF_KEY = 'r.kind = k.kind AND r.namespace = k.namespace AND r.parent = k.parent AND r.name = k.name';
/**
 * Row by row, so that a plan made while the table was small, or counted for the last time then, looks each one up in the
 * index too: a join of the same would go through the whole table.
 */
const CHECK_RESOURCES = statement<{ kind: string; namespace: string; parent: string; name: string; version: number }>(
  `SELECT k.kind, k.namespace, k.parent, k.name, held.version FROM ${KEYS}) AS k (kind, namespace, parent, name)
   CROSS JOIN LATERAL (SELECT r.version FROM resources r WHERE ${OF_KEY} FOR SHARE OF r NOWAIT) held`,
);
const CHECK_VALUES = statement<{ name: string; value: string }>(
  'SELECT name, value FROM instance WHERE name = ANY($1::text[]) FOR SHARE NOWAIT',
);
/** As `CHECK_RESOURCES`, and fails (division by zero, 22012) unless every row still has its version. */
const HOLD_RESOURCES = statement(
  `SELECT 1 / (count(*) = $6::bigint)::integer FROM ${KEYS}, $5::bigint[]) AS k (kind, namespace, parent, name, version)
   CROSS JOIN LATERAL (SELECT 1 FROM resources r WHERE ${OF_KEY} AND r.version = k.version FOR SHARE OF r NOWAIT) held`,
);
const HOLD_VALUES = statement(
  `SELECT 1 / (count(*) = $3::bigint)::integer FROM (SELECT 1 FROM instance i
   JOIN unnest($1::text[], $2::text[]) AS k (name, value) ON i.name = k.name AND i.value = k.value FOR SHARE OF i NOWAIT) held`,
);
const NOW_RESOURCES = statement<{ kind: string; namespace: string; parent: string; name: string; version: number }>(
  `SELECT k.kind, k.namespace, k.parent, k.name, now.version FROM ${KEYS}) AS k (kind, namespace, parent, name)
   CROSS JOIN LATERAL (SELECT r.version FROM resources r WHERE ${OF_KEY} OFFSET 0) now`,
);
const NOW_VALUES = statement<{ name: string; value: string }>(
  'SELECT name, value FROM instance WHERE name = ANY($1::text[])',
);

/**
 * What one run of a transaction function read without holding it. Before the commit every read is checked again, with the
 * rows locked against writers: when one is stale the function runs again, so that transactions come out as if they had run
 * one after the other though PostgreSQL runs them side by side at READ COMMITTED. Rows that the function wrote are not
 * checked again: the write itself is refused when the row is not the one that was read.
 */
export class ReadSet {
  readonly #rows = new Map<string, RowRead>();
  readonly #ranges: RangeRead[] = [];
  readonly #known: KnownRows;
  readonly #isRepeat: boolean;
  /** Resources as this run found them, or wrote them since; undefined = to be asked for. */
  #found = new Map<string, StoredResource | undefined>();
  #written = new Set<string>();
  /** Activity by uid as it was read, or written since; undefined = there was none. */
  #activity = new Map<string, string | undefined>();
  /** Rows of described tables that were not found and not written since. */
  readonly #missing = new Set<string>();
  /** Rows found stale, to be read with a lock the next time. */
  readonly #hot: Set<string>;
  #isStale = false;

  /**
   * `hot`: rows that made earlier runs fail; `known`: rows that this process read before. `isRepeat`: an earlier run was in vain, so
   * nothing that is known is trusted: where another process changed many rows, each would cost a run of its own.
   */
  constructor(hot: Set<string>, known: KnownRows, isRepeat = false) {
    this.#hot = hot;
    this.#known = known;
    this.#isRepeat = isRepeat;
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

  /**
   * The resource as this run knows it, or as this process knew it last: it is checked again before the commit like every
   * read, so one that is old costs another run and nothing else. Undefined = ask.
   */
  resource(id: string): StoredResource | undefined {
    if (this.#found.has(id) || this.#written.has(id)) return this.#found.get(id);
    return this.#isRepeat || this.isHot(id) ? undefined : this.#known.get(id);
  }

  /** What the run found under the key. */
  sawResource(id: string, key: readonly string[], found: StoredResource | undefined): void {
    this.sawRow({ table: 'resources', key, seen: found?.version });
    if (this.#written.has(id)) return;
    // What this run found before tells nothing new.
    if (found !== undefined && this.#found.get(id) !== found) this.#known.saw(id, found);
    this.#found.set(id, found);
  }

  sawRange(read: RangeRead): void {
    this.#ranges.push(read);
  }

  /** What was read of the row before the function wrote it; undefined = it was not read. */
  readOf(id: string): RowRead | undefined {
    return this.#written.has(id) ? undefined : this.#rows.get(id);
  }

  /** `written`: the resource as it is now; undefined for what is not a resource, or gone. */
  wrote(id: string, written?: StoredResource): void {
    this.#written.add(id);
    this.#found.set(id, written);
    this.#known.forget(id);
  }

  /** A reader that read a row while this run changed it knew the old one. */
  committed(): void {
    for (const id of this.#written) this.#known.forget(id);
  }

  sawActivity(uid: string, body: string | undefined): void {
    this.#activity.set(uid, body);
  }

  /** What the function knows of the activity; undefined = it has not read it. */
  activityOf(uid: string): { readonly body: string | undefined } | undefined {
    return this.#activity.has(uid) ? { body: this.#activity.get(uid) } : undefined;
  }

  /** The row is not there: nothing holds it. One that writes it finds out whether another transaction did so first. */
  sawMissing(id: string): void {
    this.#missing.add(id);
  }

  isMissing(id: string): boolean {
    return this.#missing.has(id);
  }

  /** From now on the row is there, and this transaction's. */
  wroteMissing(id: string): void {
    this.#missing.delete(id);
  }

  /** State to go back to when a savepoint is undone. */
  mark(): () => void {
    const [written, activity, found] = [new Set(this.#written), new Map(this.#activity), new Map(this.#found)];
    const missing = [...this.#missing];
    return () => {
      for (const id of missing) this.#missing.add(id);
      this.#found = found;
      this.#written = written;
      this.#activity = activity;
    };
  }

  /** Marks the run as one to repeat; the Fault to end it with. */
  stale(id: string): Fault {
    this.#isStale = true;
    this.#hot.add(id);
    this.#known.forget(id);
    return new Fault('UNAVAILABLE', 'STORAGE', 'another transaction changed what this one had read');
  }

  /** True when one question with COMMIT tells whether everything still holds: no lists, no rows that were not there. */
  get isSimple(): boolean {
    return !this.#isStale && this.#ranges.length === 0 && this.#unwritten().every((read) => read.seen !== undefined);
  }

  /**
   * Asks, right before COMMIT and without waiting, that everything that was read is still so: if it is not the transaction
   * fails, and COMMIT with it. Nothing for what `holds` looks at; answers whether something was asked.
   */
  holdLater(sql: WriteQueries): boolean {
    if (!this.isSimple) return false;
    const [resources, values] = split(this.#unwritten());
    if (resources.length > 0) {
      const versions = resources.map((read) => read.seen as number);
      sql.later(HOLD_RESOURCES, [...keyColumnsOf(resources), versions, resources.length]);
    }
    if (values.length > 0)
      sql.later(HOLD_VALUES, [
        values.map((read) => read.key[0] ?? ''),
        values.map((read) => read.seen as string),
        values.length,
      ]);
    return resources.length + values.length > 0;
  }

  /** After a transaction that failed because a read was stale: notes which rows were stale, so that they are read with a lock the next time. */
  async findStale(sql: Queries): Promise<void> {
    this.#isStale = true;
    const [resources, values] = split(this.#unwritten());
    const current = [
      await resourcesNow(sql, resources, NOW_RESOURCES),
      await valuesNow(sql, values, NOW_VALUES),
    ] as const;
    for (const read of [...resources, ...values]) {
      const id = rowId(read.table, read.key);
      if (current[read.table === 'resources' ? 0 : 1].get(id) !== read.seen) this.stale(id);
    }
  }

  #unwritten(): readonly RowRead[] {
    return [...this.#rows].filter(([id]) => !this.#written.has(id)).map(([, read]) => read);
  }

  /** True when everything that was read is still so; holds it so until the transaction ends. */
  async holds(sql: WriteQueries): Promise<boolean> {
    if (this.#isStale) return false;
    const rows = this.#unwritten();
    if (this.#ranges.length > 0 || rows.some((read) => read.seen === undefined)) sql.later(LOCK_RANGES);
    const [resources, values] = split(rows);
    const current = await Promise.all([
      resourcesNow(sql, resources, CHECK_RESOURCES),
      valuesNow(sql, values, CHECK_VALUES),
    ]);
    for (const read of rows) {
      const id = rowId(read.table, read.key);
      const now = current[read.table === 'resources' ? 0 : 1].get(id);
      if (now !== read.seen) this.stale(id);
    }
    for (const range of this.#ranges) if (!(await this.#rangeHolds(range))) this.#isStale = true;
    return !this.#isStale;
  }

  /**
   * As `holds`, for a run that ends without writing: nothing needs to be held until then, it only must have been so at one
   * moment. Takes no lock and waits for no other transaction, so a crowd that is refused one row does not queue for it.
   */
  async heldTogether(sql: WriteQueries): Promise<boolean> {
    if (this.#isStale) return false;
    const rows = this.#unwritten();
    const [resources, values] = split(rows);
    // A value, a row that was not there and a list may change and change back; a version never comes again. So when only one of those
    // was read, and is checked first, the moment of that check is one at which everything was so.
    const fickle = [
      values.length > 0,
      resources.some(({ seen }) => seen === undefined),
      ...this.#ranges.map(() => true),
    ];
    if (fickle.filter(Boolean).length > 1) return this.holds(sql);
    const [range] = this.#ranges;
    const areRangesSame = range === undefined || (await this.#rangeHolds(range));
    const [valuesFound, resourcesFound] = await Promise.all([
      valuesNow(sql, values, NOW_VALUES),
      resourcesNow(sql, resources, NOW_RESOURCES),
    ]);
    const isSame = (read: RowRead): boolean => {
      const found = read.table === 'resources' ? resourcesFound : valuesFound;
      return found.get(rowId(read.table, read.key)) === read.seen;
    };
    const stale = rows.filter((read) => !isSame(read)).map((read) => rowId(read.table, read.key));
    for (const id of stale) this.#known.forget(id);
    // Read again the next time; with a lock only if that fails too.
    if (this.#isRepeat) for (const id of stale) this.#hot.add(id);
    this.#isStale = !areRangesSame || stale.length > 0;
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

/** Resources, then values. */
const split = (rows: readonly RowRead[]) =>
  [rows.filter((read) => read.table === 'resources'), rows.filter((read) => read.table === 'instance')] as const;

const keyColumnsOf = (reads: readonly RowRead[]): readonly (readonly string[])[] =>
  [0, 1, 2, 3].map((column) => reads.map((read) => read.key[column] ?? ''));

const resourcesNow = async (
  sql: Queries,
  reads: readonly RowRead[],
  question: typeof NOW_RESOURCES,
): Promise<ReadonlyMap<string, number>> => {
  if (reads.length === 0) return new Map();
  const rows = await sql.rows(question, keyColumnsOf(reads));
  return new Map(
    rows.map(({ kind, namespace, parent, name, version }) => [
      rowId('resources', [kind, namespace, parent, name]),
      version,
    ]),
  );
};

const valuesNow = async (
  sql: Queries,
  reads: readonly RowRead[],
  question: typeof NOW_VALUES,
): Promise<ReadonlyMap<string, string>> => {
  if (reads.length === 0) return new Map();
  const rows = await sql.rows(question, [reads.map((read) => read.key[0] ?? '')]);
  return new Map(rows.map(({ name, value }) => [rowId('instance', [name]), value]));
};
