import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Store } from '../../../store/contracts/index.ts';
import type { TrailEntry, TrailPlace, TrailReading, TrailSource } from '../../trail-source.ts';

/** Records that one trail reads at most. */
const PLACES_MAX = 300;
/** Entries that one trail shows at most. */
const ENTRIES_MAX = 1_000;

export interface TrailBounds {
  readonly sources: readonly TrailSource[];
  /** False for namespaces that the caller may not read: their records are neither shown nor followed. */
  readonly isVisible: (namespace: string) => boolean;
}

export interface Trail {
  /** By time; at one time a cause comes before what it caused. */
  readonly entries: readonly TrailEntry[];
  /** More belongs to the trail than is shown. */
  readonly isTruncated: boolean;
}

/**
 * Follows the links of records in both directions, nearest first. Each record is read in a snapshot of its own, with a turn of the event
 * loop after it: one snapshot of a long trail would keep the embedded engine from doing anything else.
 */
export const walkTrail = async (
  store: Pick<Store, 'read'>,
  start: readonly TrailPlace[],
  bounds: TrailBounds,
): Promise<Trail> => {
  const walk = new TrailWalk(bounds, start);
  for (const place of walk.places) {
    if (walk.isFull) return walk.result({ isCut: true });
    for (const reading of await readingsOf(store, place, bounds.sources)) walk.add(reading);
    await nextTurn();
  }
  return walk.result({ isCut: false });
};

/** What every feature knows of one record. */
const readingsOf = (
  store: Pick<Store, 'read'>,
  place: TrailPlace,
  sources: readonly TrailSource[],
): Promise<readonly TrailReading[]> =>
  store.read(async (reads) => {
    const readings: TrailReading[] = [];
    for (const source of sources) {
      const reading = await source.read(reads, place);
      if (reading !== undefined) readings.push(reading);
    }
    return readings;
  });

/** What was found so far. */
class TrailWalk {
  /** In the order in which they were found; grows while it is read. */
  readonly places: TrailPlace[] = [];
  readonly #bounds: TrailBounds;
  readonly #seen = new Set<string>();
  readonly #entries = new Map<string, TrailEntry>();
  readonly #causes = new Map<string, string>();
  #isTruncated = false;

  constructor(bounds: TrailBounds, start: readonly TrailPlace[]) {
    this.#bounds = bounds;
    for (const place of start) this.#visit(place);
  }

  add({ entries, links, causes = {} }: TrailReading): void {
    for (const entry of entries)
      if (this.#bounds.isVisible(entry.namespace)) this.#entries.set(`${entry.kind} ${entry.id}`, entry);
    for (const [id, cause] of Object.entries(causes)) this.#causes.set(id, cause);
    for (const link of links) this.#visit(link);
  }

  /** Nothing further would be shown. */
  get isFull(): boolean {
    return this.#entries.size >= ENTRIES_MAX;
  }

  /** `isCut`: records that belong to it were not read. */
  result({ isCut }: { readonly isCut: boolean }): Trail {
    const entries = inOrder([...this.#entries.values()].map((entry) => this.#withCause(entry)));
    return {
      entries: entries.slice(0, ENTRIES_MAX),
      isTruncated: isCut || this.#isTruncated || entries.length > ENTRIES_MAX,
    };
  }

  #visit(place: TrailPlace): void {
    const key = [place.kind, place.namespace, place.within ?? '', place.id].join(' ');
    if (this.#seen.has(key) || !this.#bounds.isVisible(place.namespace)) return;
    if (this.#seen.size === PLACES_MAX) {
      this.#isTruncated = true;
      return;
    }
    this.#seen.add(key);
    this.places.push(place);
  }

  /** What a feature says of its own record counts before what others say of it. */
  #withCause(entry: TrailEntry): TrailEntry {
    const causedBy = entry.causedBy || this.#causes.get(entry.id);
    return causedBy === undefined ? entry : { ...entry, causedBy };
  }
}

/** Many records are written in one transaction and have one time: then causes come first. */
const inOrder = (entries: readonly TrailEntry[]): readonly TrailEntry[] => {
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const ranked = entries.map((entry) => ({ entry, depth: causesOf(entry, known) }));
  return ranked.toSorted((a, b) => a.entry.at - b.entry.at || a.depth - b.depth).map(({ entry }) => entry);
};

/** How many entries led to this one. */
const causesOf = (entry: TrailEntry, known: ReadonlyMap<string, TrailEntry>): number => {
  const chain = new Set([entry]);
  let cause = known.get(entry.causedBy ?? '');
  while (cause !== undefined && !chain.has(cause)) {
    chain.add(cause);
    cause = known.get(cause.causedBy ?? '');
  }
  return chain.size;
};
